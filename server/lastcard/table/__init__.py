"""One match at one table: seats, clocks and rounds as a pure machine, and the asyncio shell that hosts it."""
