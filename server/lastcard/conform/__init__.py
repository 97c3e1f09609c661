"""The conformance kit: starts a bot against a scripted arena and says in words what it does right and wrong.

Here: the arena and the wire to it (`arena`, `wire`), starting bots (`launch`), positions by the real rules (`tables`,
`messages`), what a check is and works with (`checking`, `bench`, `talk`), the checks themselves (`checks`), running and
reporting them (`running`, `report`). Not here: the command line (`cli`). A kit must not share a client's mistakes, so
nothing here imports the Python SDK; and it runs where only a bot author's packages are installed.
"""
