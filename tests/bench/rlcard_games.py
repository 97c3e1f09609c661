"""Plays UNO games with rlcard and prints one JSON object: the control of `lastcard bench engine`.

Run by a Python that has rlcard (`make bench-setup`): four random players in process, `env.run` without training.
Counts decisions by the environment's own time steps.
"""

import argparse
import json
import time

import rlcard
from rlcard.agents import RandomAgent


def main() -> None:
    """Plays for about the given seconds after one warm-up game."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=2.0)
    seconds = parser.parse_args().seconds
    env = rlcard.make("uno", config={"seed": 7})
    # make() plays with two players whatever it is told: the game and the environment must both be set.
    env.game.num_players = 4
    env.num_players = 4
    env.set_agents([RandomAgent(num_actions=env.num_actions) for _ in range(4)])
    env.run(is_training=False)
    games = 0
    before = env.timestep  # counts on over all games
    began = time.perf_counter()
    while (spent := time.perf_counter() - began) < seconds:
        env.run(is_training=False)
        games += 1
    print(json.dumps({"name": "rlcard env.run", "games": games, "decisions": env.timestep - before, "seconds": spent}))


if __name__ == "__main__":
    main()
