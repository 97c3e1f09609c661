"""Reading an HTML page as strictly as no browser does: for tests of pages that we write.

Here: a tree of elements. Not here: what a page should hold.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser

_VOID = {"meta", "link", "input", "br", "img", "hr"}
_DRAWN = {"line", "circle", "path", "rect", "use", "polyline"}


@dataclass
class Element:
    """An element; `children` are elements and texts."""

    tag: str
    attributes: dict[str, str]
    children: "list[Element | str]" = field(default_factory=list)

    def all(self, *tags: str) -> Iterator["Element"]:
        """All elements within, with one of these tags if any are given, in the order of the page."""
        for child in self.children:
            if isinstance(child, Element):
                if not tags or child.tag in tags:
                    yield child
                yield from child.all(*tags)

    @property
    def text(self) -> str:
        """All text within."""
        return "".join(child if isinstance(child, str) else child.text for child in self.children)

    def with_id(self, name: str) -> "Element":
        """The one element with an id."""
        (found,) = (each for each in self.all() if each.attributes.get("id") == name)
        return found


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.top = Element("", {})
        self._open = [self.top]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs]
        assert len(names) == len(set(names)), f"<{tag}> has an attribute twice: {names}"
        element = Element(tag, {name: value or "" for name, value in attrs})
        self._open[-1].children.append(element)
        if tag not in _VOID:
            self._open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in _DRAWN, f"<{tag}/> does not close itself in HTML"
        self.handle_starttag(tag, attrs)
        self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open[-1].tag == tag, f"</{tag}> at {self.getpos()} ends <{self._open[-1].tag}>"
        self._open.pop()

    def handle_data(self, data: str) -> None:
        self._open[-1].children.append(data)


def page_tree(text: str) -> Element:
    """The page as a tree; every element must be closed where it should be."""
    reader = _Reader()
    reader.feed(text)
    reader.close()
    assert len(reader._open) == 1, f"not closed: {[element.tag for element in reader._open]}"
    return reader.top
