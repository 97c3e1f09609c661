"""Server processes that play an event's games beside each other, and the director's end of the pipes to them.

A worker is an arena with a store and a port of its own, in a process of its own. It lives no longer than the director.
"""
