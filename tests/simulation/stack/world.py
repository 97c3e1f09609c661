"""One simulated arena: from a seed to its end, in virtual time.

Here: `World`. Not here: what is drawn (`scenario`), what happens to the server (`fate`), what must be true (`watched`,
`ledger`, `recovered`, `closing`).
"""

import sys
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack, suppress
from random import Random
from unittest.mock import patch

from lastcard.services.identity import identity_of
from lastcard.table.effects import FaultKind
from lastcard.table.hosted import HostedTable
from lastcard.table.journal import IdentityMade
from lastcard.table.plan import TablePlan
from lastcard.table.refusals import DomainError
from lastcard.v1.play_service_pb2 import Hello
from simulation.stack.bot_client import BotClient
from simulation.stack.closing import check_end, check_nothing_left, check_standing
from simulation.stack.disk import Disk, SlowStore
from simulation.stack.fate import Fate
from simulation.stack.ledger import SPECTATOR, Ledger
from simulation.stack.loop import WORLD, VirtualLoop
from simulation.stack.network import Network
from simulation.stack.people import Person
from simulation.stack.recovered import check_recovery
from simulation.stack.scenario import LINES, BotPlan, Scenario, draw_scenario
from simulation.stack.server import Server, settings_of
from simulation.stack.shared import Handovers, check_shared
from simulation.stack.spectators import Spectator
from simulation.stack.stage import staged
from simulation.stack.watched import Truth, WatchedTable
from simulation.stack.wild_bot import WildBot

STEPS = 400_000
"""Callbacks after which an arena must have come to its end."""

LONGEST_S = 4 * 3_600.0
"""Virtual time after which it must have."""

SETTLE_S = 3.0
"""How long everything must be quiet at the end."""


class World:
    """Plays one scenario; fails by `assert` or by whatever the product raises."""

    def __init__(self, seed: int, *, traced: bool = False) -> None:
        self.scenario: Scenario = draw_scenario(seed)
        self.loop = VirtualLoop()
        self.disk = Disk()
        self.reached: Counter[str] = Counter()
        self.network = Network(self.loop, self.reached)
        self.ledger = Ledger(self.reached)
        self.handovers = Handovers(self.reached)
        self.is_traced = traced
        self.server: Server | None = None
        self.bots: list[BotClient] = []
        self.people: list[Person] = []
        self.spectators: list[Spectator] = []
        self.sitters: dict[tuple[str, int], str] = {}
        """Who sits at open seats."""
        self.runs = 0
        self._random = Random(f"world {seed}")
        self._is_over = False
        self.asleep: dict[bytes, Truth] = {}
        """Tables that were over before the present run of the server, which it has not looked at yet."""
        self._gone_at = 0.0
        self._is_renewing = False
        """Whether new tokens were given out that are not stored yet."""
        self._sins: dict[str, set[FaultKind]] = {}
        self._nobodys: set[FaultKind] = set()
        self._quiet_since: float | None = None
        self.fate = Fate(self, self.scenario.faults, Random(f"fate {seed}"))

    def trace(self, text: str, *arguments: object) -> None:
        """Says what happens, when somebody wants to know."""
        if self.is_traced:
            sys.stdout.write(f"{self.loop.now:10.3f} {text % arguments}\n")

    @property
    def truths(self) -> dict[bytes, Truth]:
        """The tables of the present run of the server, by their salts."""
        return WatchedTable.registry

    # ------------------------------------------------------------------ the whole

    def play(self) -> None:
        """Plays to the end and checks all that there is to check."""
        with ExitStack() as stack:
            self.machine_time = stack.enter_context(staged(self.loop, self.scenario.seed, self._open_store))
            stack.callback(self.loop.bury)
            self.handovers.now_ms = lambda: self.server.arena._clock() if self.server is not None else 0
            for where, name, what in self.handovers.replaced():
                stack.enter_context(patch.object(where, name, what))
            WatchedTable.ended = staticmethod(self.fate.table_ended)
            self._begin()
            self.loop.run(lambda: self._is_over, STEPS)
            assert self._is_over, "nothing is left to do, and it is not over"
            check_end(self)
            self._send_all_home()
            self.loop.run(lambda: self.loop.now >= self._gone_at, STEPS)
            check_nothing_left(self)

    def _begin(self) -> None:
        tokens = {
            bot.name: [f"lct_{bot.name}_{number}" for number in range(bot.processes)] for bot in self.scenario.bots
        }
        made = [IdentityMade(identity_of(token), name, True) for name, own in tokens.items() for token in own]
        self.disk.commit([made])
        self.loop.call_soon(self.start_server)
        for table in self.scenario.tables:
            self.loop.call_later(self._random.random() * 2, self._open_table, table)
        for bot in self.scenario.bots:
            for token in tokens[bot.name] or [""]:
                self.loop.call_later(self._random.random() * 3, self._start_bot, bot, token)
        for table in self.scenario.tables:
            self._invite(table)
        self.loop.call_later(SETTLE_S, self._look)

    def _invite(self, table: TablePlan) -> None:
        """Lets people come to the open seats of a table, and others look on."""
        random, table_id = self._random, table.table_id or ""
        for seat in table.seats:
            if seat.bot is None and seat.builtin is None:
                number = len(self.people)
                person = Person(
                    self,
                    table_id,
                    number,
                    Random(f"person {self.scenario.seed} {number}"),
                    calm=random.random() < 0.7,
                )
                self.people.append(person)
                self.loop.call_later(1 + random.random() * 5, person.join)
        for _ in range(self.scenario.spectators):
            number = len(self.spectators)
            owners = [bot for bot in self.scenario.bots if bot.processes == 1 and self._seat_of(table, bot.name) >= 0]
            owner = random.choice(owners) if owners and random.random() < 0.4 else None
            if owner is not None:
                # Whoever watches its own table is present by that, and has seen what the stream may hold back.
                self.sin(owner.name, FaultKind.TIMEOUT, FaultKind.DISCONNECT)
            spectator = Spectator(
                self,
                table_id,
                SPECTATOR if owner is None else self._seat_of(table, owner.name),
                Random(f"spectator {self.scenario.seed} {number}"),
                random.choice(LINES),
                "" if owner is None else f"lct_{owner.name}_0",
            )
            self.spectators.append(spectator)
            self.loop.call_later(random.random() * 10, spectator.watch)

    @staticmethod
    def _seat_of(table: TablePlan, bot: str) -> int:
        """The seat of a bot at a table, -1 for none."""
        return next((number for number, seat in enumerate(table.seats) if seat.bot == bot), -1)

    def start_server(self) -> None:
        """Starts the server; it goes on with what is on the disk."""
        self.runs += 1
        before = self.asleep | self.truths
        WatchedTable.registry, self.asleep = {}, {}
        for plan in self.scenario.tables:
            known = before.get(plan.salt or b"")
            if known is not None:
                number = self.disk.opened.get(plan.table_id or "", 0)
                known.durable = len(self.disk.commands.get(number, ())) if number else None
        self.trace("the server starts for the %d. time", self.runs)
        scenario = self.scenario
        settings = settings_of(scenario.limits.heartbeat_ms, scenario.limits.outbox_bytes, scenario.recovery_grace_ms)
        server = self.server = Server(self.loop, self.runs, settings)
        server.when_up(lambda: self._server_is_up(before))

    def _open_store(self, _directory: object, failed: Callable[[str], None], _durability: str) -> SlowStore:
        random = Random(f"store {self.scenario.seed} {self.runs}")
        return SlowStore(self.loop, self.disk, random, self.scenario.store_s, failed)

    def _server_is_up(self, before: dict[bytes, Truth]) -> None:
        self.network.server = self.server
        check_recovery(self, before)
        assert self.server is not None
        self.handovers.begin(self.server.arena, self.scenario.recovery_grace_ms)
        random = Random(f"director {self.scenario.seed} {self.runs}")
        if self._is_renewing or (self.runs > 1 and not self.scenario.spectators and random.random() < 0.2):
            self._renew_tokens(random)
        self.fate.server_is_up()

    def _renew_tokens(self, random: Random) -> None:
        """Sometimes the one who started server and bots was killed too: bots come anew, with other tokens."""
        assert self.server is not None
        arena = self.server.arena
        self.reached["tokens renewed"] += 1
        self._is_renewing = True
        self.trace("all bots with tokens were killed too, and come anew")
        for bot in self.bots:
            if bot.token and not bot.is_done:
                bot.finish("its organiser was killed")
        with self.loop.inside(self.server.process):
            arena.revoke_earlier()
            tokens = [(plan, arena.mint(plan.name)) for plan in self.scenario.bots for _ in range(plan.processes)]
            arena.host.pump.when_durable(lambda: self._start_anew(tokens, random))

    def _start_anew(self, tokens: list[tuple[BotPlan, str]], random: Random) -> None:
        """The new tokens are stored, so the bots may have them; otherwise the next run of the server gives others."""
        self._is_renewing = False
        with self.loop.inside(WORLD):
            for plan, token in tokens:
                if plan.habits.never_comes:
                    self.sin(plan.name, *FaultKind)  # it may have had seats from those who came
                self.loop.call_later(random.random() * 3, self._start_bot, plan, token)

    def lose_server(self, *, silently: bool) -> None:
        """The server's process is killed, or its machine is gone."""
        assert self.server is not None
        self.trace("the server dies")
        self.server.die()
        self.network.server_died(self.server, silently=silently)

    def stop_server(self) -> None:
        """The server has ended in good order."""
        assert self.server is not None
        self.trace("the server has stopped")
        self.server.die()
        self.network.server_died(self.server, silently=False)

    # ------------------------------------------------------------------ who is to blame for what

    def sin(self, who: str, *kinds: FaultKind) -> None:
        """Somebody does what he may be blamed for."""
        self._sins.setdefault(who, set()).update(kinds)

    def blame_nobody_for(self, *kinds: FaultKind) -> None:
        """Something happens for which anybody may be blamed though he is innocent."""
        self._nobodys.update(kinds)

    def sins(self, who: str) -> set[FaultKind]:
        """What somebody may be blamed for."""
        return self._sins.get(who, set()) | self._nobodys

    # ------------------------------------------------------------------ who comes

    def _open_table(self, plan: TablePlan) -> None:
        """The organiser in the server's process opens a table, again when it was lost with the process."""
        server = self.server
        is_lost = plan.table_id not in self.disk.opened
        if server is not None and server.is_up and is_lost and plan.table_id not in server.arena.host.tables:
            with self.loop.inside(server.process):
                self.loop.call_soon(self._open_table_at, server, plan)  # when its process is paused, behind the pause
        if is_lost:
            self.loop.call_later(1.0, self._open_table, plan)

    def _open_table_at(self, server: Server, plan: TablePlan) -> None:
        if plan.table_id not in server.arena.host.tables:
            with suppress(DomainError):  # it may be shutting down
                server.arena.open_table(plan)

    def start_process(self, bot: str, token: str, after_s: float) -> None:
        """Starts another process of a bot, which knows nothing of the earlier ones."""
        plan = next(plan for plan in self.scenario.bots if plan.name == bot)
        self.loop.call_later(after_s, self._start_bot, plan, token)

    def _start_bot(self, plan: BotPlan, token: str) -> None:
        if self.fate.is_over:
            return
        if plan.quality.is_slow:
            self.sin(plan.name, FaultKind.TIMEOUT)
        number = len(self.bots)
        bot = WildBot(
            self,
            f"{plan.name}/{number}",
            plan.name,
            token,
            random=Random(f"bot {self.scenario.seed} {number}"),
            quality=plan.quality,
            hello=Hello(
                protocol_version=1,
                bot_name=plan.name,
                max_open_decisions=plan.max_open,
                decisions_only=plan.decisions_only,
            ),
            habits=plan.habits,
        )
        self.bots.append(bot)
        bot.connect()

    def person_sits(self, person: Person) -> None:
        """Somebody has got a seat."""
        assert person.seat is not None
        self.sitters[person.table_id, person.seat] = person.name
        self.reached["person sits"] += 1

    def report_crash(self, bot: str, token: str) -> None:
        """The organiser tells the arena that a bot's process ended by itself."""
        server = self.server
        if server is not None and server.is_up:
            self.sin(bot, FaultKind.CRASH)
            with self.loop.inside(server.process):
                self.loop.call_soon(server.arena.report_crash, token, "exit status 1")

    # ------------------------------------------------------------------ the end

    def _look(self) -> None:
        """Looks from time to time whether it is over."""
        assert self.loop.now < LONGEST_S, "it does not end"
        if self.server is not None and self.server.is_up and not self.fate.is_busy:
            check_standing(self.server.arena)
            check_shared(self.server.arena)
        if not self._is_quiet():
            self._quiet_since = None
        elif self._quiet_since is None:
            self._quiet_since = self.loop.now
        elif self.loop.now - self._quiet_since >= SETTLE_S:
            self._is_over = True
        self.loop.call_later(1.0, self._look)

    def _is_quiet(self) -> bool:
        """Whether all tables are over and all who are there know it."""
        server = self.server
        if server is None or not server.is_up or self.fate.is_busy:
            return False
        tables = server.arena.host.tables
        for plan in self.scenario.tables:
            table = tables.get(plan.table_id or "")
            if plan.salt not in self.asleep and (table is None or table.result is None):
                return False
        if not all(one.is_done for one in (*self.people, *self.spectators)):
            return False
        here = [bot for bot in self.bots if not bot.is_done]
        return all(bot.is_welcome for bot in here) and not any(self.waits_for(bot) for bot in here)

    def waits_for(self, bot: BotClient) -> list[str]:
        """The tables whose end a bot has not heard of, and at which no other instance has taken its place.

        A process that was just started knows none, and is owed the ends of those at which it has a seat all the same.
        """
        assert self.server is not None
        asleep = [plan.table_id for plan in self.scenario.tables if plan.salt in self.asleep]
        tables, identity = self.server.arena.host.tables, identity_of(bot.token or bot.session.secret)
        known = {*bot.session.tables, *(name for name in tables if name not in bot.ended_tables)}
        owed = [name for name in known if name in tables and _is_owed_the_end(tables[name], identity)]
        return owed + [
            name for name in bot.session.tables if name in asleep and name not in tables and bot.link is None
        ]

    def _send_all_home(self) -> None:
        """All clients go, some with a word and some without."""
        self.fate.is_over, self.loop.fuse = True, None
        self._gone_at = self.loop.now + 2 * SETTLE_S
        for link in list(self.network.links):
            way = self._random.randrange(3)
            if link.is_cut:
                self.loop.call_later(self._random.random() * SETTLE_S, link.notice_at_server)
            elif way == 0:
                link.half_close()
            elif way == 1:
                link.cancel()
            else:
                link.cut(self._random.random() * SETTLE_S, None)
        for bot in self.bots:
            bot.finish("the day is over")
        for person in self.people:
            person.go_home("the day is over")
        for spectator in self.spectators:
            spectator.go_home()


def _is_owed_the_end(table: HostedTable, identity: str) -> bool:
    """Whether somebody serves a seat, and nobody of the same identity has acknowledged the end."""
    seat = table.seat_of.get(identity)
    return seat is not None and not table.links[seat].acknowledged
