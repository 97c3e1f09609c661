"""Between plain values and the bytes of `lastcard.v1`.

Here: hot messages written by hand (`varint`, `events`, `views`, `decisions`, `frames`) and the cold ones by the
generated classes (`requests`, `tables`, `rulesets`). Not here: who gets which (`table`). The hand-written bytes are
those that the generated classes would make, which `tests/unit/services/wire` proves field by field.
"""
