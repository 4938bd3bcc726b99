"""Makes dbgraph_nb/traditional_to_simplified.txt from the character table of the opencc-purepy package.

Run as a script it writes the file; the tests compare the file with what this makes where the package is installed.
"""

from __future__ import annotations

import unicodedata
from pathlib import Path

TARGET = Path(__file__).parents[2] / "dbgraph_nb" / "traditional_to_simplified.txt"
HEADER = (
    "# Pairs of a traditional character and its first simplified form, one code point each.\n"
    "# Source: TSCharacters.txt of OpenCC (as shipped by opencc-purepy), Apache License 2.0.\n"
)
PAIRS_PER_LINE = 24


def make() -> str:
    """The content of the data file: pairs of two characters, separated by spaces, sorted by code point."""
    import opencc_purepy

    source = Path(opencc_purepy.__file__).parent / "dicts" / "TSCharacters.txt"
    pairs = []
    for line in source.read_text(encoding="utf-8").splitlines():
        if "\t" not in line:
            continue
        traditional, candidates = line.split("\t", 1)
        simplified = candidates.split()[0]
        stable = unicodedata.normalize("NFKC", traditional + simplified) == traditional + simplified
        if len(traditional) == len(simplified) == 1 and traditional != simplified and stable:
            pairs.append(traditional + simplified)
    pairs.sort()
    rows = (" ".join(pairs[i : i + PAIRS_PER_LINE]) for i in range(0, len(pairs), PAIRS_PER_LINE))
    return HEADER + "".join(f"{row}\n" for row in rows)


if __name__ == "__main__":
    TARGET.write_text(make(), encoding="utf-8", newline="\n")
