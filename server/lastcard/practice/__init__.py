"""Playing a bot over a line that is worse than the one at hand, and telling what that would cost it.

Here: the model of a bad line (`line`), a wire that behaves so (`slow_link`), playing (`playing`), what was measured
(`timing`), what that means (`limits`) and its text (`report`). `line`, `timing`, `limits` and `report` are pure.
"""
