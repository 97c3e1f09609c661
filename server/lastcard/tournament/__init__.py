"""Tournaments: formats, schedule, ledger and figures (pure), and the director that plays them.

Where to look for what:

- what an organiser writes: `file`, with its tables in `format_keys`, `entries` and `rulings_section`;
- who plays whom, and what comes next: `formats/`, `schedule`, `course`, `balance`, `outlook`;
- what was played: `rows` and `ledger`; what they mean after faults and rulings: `rulings`, `judged_sets`, `judging`,
  `scoring`; what an organiser may rule: `rule_book`;
- figures: `statistics` (means, the ranking), `intervals`, `crosstable`, `choices` and `ratings`, `sequential` and
  `reach` (whether the ranking is settled), `luck` and `adjustment`, `thinking`, `remembering`; all of them together:
  `figures`; as files: `standings`, `report/`;
- the results directory: `results`, `event_state`, `claim`, `durable`, `packing`, `passes`, and going on: `resumption`;
- playing: `director/`, over an arena behind `ports`, which tells what happens by `notices`; on a server: `hosting`.
"""
