"""Reads HTML back as a browser does, so that tests look at what is seen and not at the markup."""

from __future__ import annotations

from collections.abc import Callable
from html.parser import HTMLParser

import pytest


class Page(HTMLParser):
    """The tags, and the texts of table cells and other elements, of an HTML fragment."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.heads: list[tuple[str, str]] = []  # text and class
        self.rows: list[list[tuple[str, str]]] = []
        self.texts: list[str] = []
        self._open: tuple[str, str] | None = None
        self._text = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]
        if tag == "tr":
            self.rows.append([])
        if tag in ("th", "td", "p", "li", "pre", "style"):
            self._open, self._text = (tag, dict(attrs).get("class") or ""), ""

    def handle_data(self, data: str) -> None:
        self._text += data

    def handle_endtag(self, tag: str) -> None:
        if self._open is None or self._open[0] != tag:
            return
        if tag == "th":
            self.heads.append((self._text, self._open[1]))
        elif tag == "td":
            self.rows[-1].append((self._text, self._open[1]))
        elif tag != "style":
            self.texts.append(self._text)
        self._open = None

    @property
    def cells(self) -> list[list[str]]:
        """The texts of the table's body, row by row."""
        return [[text for text, _ in row] for row in self.rows if row]


@pytest.fixture(scope="session")
def read() -> Callable[[str], Page]:
    return Page
