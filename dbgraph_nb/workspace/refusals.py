"""The sentences of the jail: one error for each thing that a path can be instead of a file inside.

In: the path as it was written, and what is wrong. Out: ``PathRefused``. Never: a path that the user did not write.
"""

from __future__ import annotations

import errno
import stat

from dbgraph_nb.errors import PathRefused

_SHOWN = 120  # characters


def refused(code: str, message: str, hint: str) -> PathRefused:
    return PathRefused(message, code=code, hint=hint)


def leaves(text: str, by_link: bool) -> PathRefused:
    hint = "Copy the file into the workspace, or set another workspace."
    if by_link:
        return refused("link-outside", f"{short(text)} leads through a link out of the workspace.", hint)
    return refused("path-parent", f"{short(text)} leads out of the workspace by ...", hint)


def a_folder(text: str) -> PathRefused:
    return refused("path-is-folder", f"{short(text)} is a folder.", "Name a file, or a pattern such as folder/*.csv.")


def kind(mode: int, text: str) -> PathRefused | None:
    if stat.S_ISDIR(mode):
        return a_folder(text)
    if stat.S_ISLNK(mode):
        return _a_link_now(text)
    if not stat.S_ISREG(mode):
        return refused("special-file", f"{short(text)} is a device, a pipe or a socket, not a file.", "Name a file.")
    return None


def _a_link_now(text: str) -> PathRefused:
    return refused("link-outside", f"{short(text)} became a link while it was opened.", "Try again.")


def unreadable(text: str, error: OSError) -> PathRefused:
    if error.errno in (errno.ENOENT, errno.ENOTDIR):
        return refused("path-missing", f"There is no file {short(text)} in the workspace.", "Check its name.")
    if error.errno == errno.ELOOP:
        return _a_link_now(text)
    if error.errno == errno.ENAMETOOLONG:
        return refused("bad-path", "A name in that path is longer than the system allows.", "Check it.")
    reason = (error.strerror or "it cannot be opened").lower()
    return refused("path-not-readable", f"{short(text)} cannot be read: {reason}.", "Check its permissions.")


def not_writable(text: str, error: OSError) -> PathRefused:
    reason = (error.strerror or "it cannot be written").lower()
    return refused("folder-not-writable", f"{short(text)} cannot be written: {reason}.", "Check the folder's rights.")


def there_already(text: str) -> PathRefused:
    return refused("file-exists", f"{short(text)} exists already, and no file is replaced.", "Use another name.")


def short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _SHOWN else f"…{line[-_SHOWN:]}"
