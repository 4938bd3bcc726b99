"""Where a secret must not be: looks for it in files and in texts, in the encodings that a program may have written."""

from __future__ import annotations

import base64
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import quote


def forms(secret: str) -> list[bytes]:
    """The secret as UTF-8, UTF-16, percent-encoded, escaped as in JSON, and in base64."""
    utf8 = secret.encode()
    escaped = secret.encode("ascii", "backslashreplace")
    return [utf8, secret.encode("utf-16-le"), quote(secret, safe="").encode(), escaped, base64.b64encode(utf8)]


def files_holding(folder: Path, *secrets: str) -> list[str]:
    """The files below ``folder`` whose bytes or path hold one of the secrets."""
    found = []
    for path in sorted(folder.rglob("*")):
        content = path.read_bytes() if path.is_file() else b""
        if any(form in content or form in str(path).encode() for secret in secrets for form in forms(secret)):
            found.append(str(path))
    return found


def texts_holding(texts: Iterable[str], *secrets: str) -> list[str]:
    """The texts that hold one of the secrets, without repeating it."""
    encoded = [text.encode("utf-8", "replace") for text in texts]
    return [
        f"text {number} of {len(text)} bytes"
        for number, text in enumerate(encoded)
        if any(form in text for secret in secrets for form in forms(secret))
    ]
