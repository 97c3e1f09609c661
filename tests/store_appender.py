"""A process that writes to a store without end and says what is durable, to be killed; and what must then be there.

Run with the store's directory, its durability, the first step and, if its log is to begin anew oftener than that of a
server, after how many pages; prints the number of each step whose entries are called durable.
"""

import asyncio
import os
import random
import sys
from pathlib import Path

from lastcard.store import compaction, opening
from lastcard.store.sqlite import SqliteStore
from lastcard.table.commands import Occupy
from lastcard.table.journal import Bound, Commanded, Forgotten, TableClosed, TableOpened
from lastcard.table.plan import RecordFiles

LIFE = 40
"""Steps of a table; table 1 is there all the time and is told something now and then."""

FILES = RecordFiles(record=b"record" * 500, receipts=b"receipts" * 100, record_hash=bytes(32))


def entries(step):
    """What is written in a step, from 1 on; the time is the step."""
    number, place = divmod(step - 1, LIFE)
    number += 2
    made = [TableOpened(1, "t1", 1, "", "{}")] if step == 1 else []
    if place == 0:
        made += [TableOpened(number, f"t{number}", step, "", "{}"), Bound(number, 0, f"i{number}")]
    made.append(Commanded(1 if step % 10 == 0 else number, step, Occupy(0, f"p{step}")))
    if place == LIFE - 1:
        made.append(TableClosed(number, step, "{}", FILES))
    if place == 3 and number > 2:
        made.append(Forgotten(number - 1))
    return made


class Wanted:
    """Commands and seats of the tables that must be remembered after so many steps, of which there are ever more."""

    def __init__(self):
        self._steps = 0
        self._tables = {}

    def after(self, steps):
        """The commands and the seats of each table, by number, after at least as many steps as last time."""
        for step in range(self._steps + 1, steps + 1):
            for entry in entries(step):
                match entry:
                    case TableOpened(number):
                        self._tables[number] = ([], [])
                    case Bound(number, seat, identity):
                        self._tables[number][1].append((seat, identity))
                    case Commanded(number, at_ms, command):
                        self._tables[number][0].append((at_ms, command))
                    case Forgotten(number):
                        del self._tables[number]
        self._steps = max(steps, self._steps)
        return self._tables


def wanted(steps):
    """Commands and seats of the tables that must be remembered after so many steps, by number."""
    return Wanted().after(steps)


async def append(directory, durability, first):
    """Appends without end, a random number of steps at a time, as fast as what was appended is called durable."""
    compaction.LEAST, compaction.SLICE = 60, 20
    store = SqliteStore(directory, lambda sentence: os.write(2, sentence.encode()), durability)
    store.start()
    ready = asyncio.Semaphore(50)

    def tell(last):
        os.write(1, b"%d\n" % last)
        ready.release()

    step, chance = first, random.Random(first)
    while True:
        await ready.acquire()
        last = step + chance.randrange(1, 20)
        batch = [entry for number in range(step, last) for entry in entries(number)]
        store.append(batch, lambda last=last - 1: tell(last))
        step = last


if __name__ == "__main__":
    if len(sys.argv) > 4:
        opening._LOG_PAGES = int(sys.argv[4])
    asyncio.run(append(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])))
