"""From a credential reference to the credential, and into the system's keyring.

In: a reference (``keyring:``, ``keyring:SERVICE/NAME``, ``env:NAME``, ``prompt:``) and who can be asked. Out: a
password. Never: a password in an error, a file or a log; a wait for input when nobody can be asked; a change to the
process's environment.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dbgraph_nb.errors import BadArgument, CredentialMissing
from dbgraph_nb.model import Target

if TYPE_CHECKING:
    from keyring.backend import KeyringBackend

Ask = Callable[[str], str]

SERVICE = "dbgraph_nb"
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_FORMS = "Use keyring:, keyring:SERVICE/NAME, env:NAME or prompt:."


def check_reference(reference: str) -> str:
    """Whether a text is a credential reference; returns it.

    Raises:
        BadArgument: it is none (code ``bad-reference``); the text is not repeated, since it may be a password.

    >>> check_reference("env:SHOP_PASSWORD")
    'env:SHOP_PASSWORD'
    """
    kind, colon, rest = reference.partition(":") if isinstance(reference, str) else ("", "", "")
    good = {
        "keyring": not rest or all(rest.partition("/")[::2]),
        "env": bool(_VARIABLE.fullmatch(rest)),
        "prompt": not rest,
    }
    if not colon or not good.get(kind, False):
        raise BadArgument("The credential is not a reference.", code="bad-reference", hint=_FORMS)
    return reference


def resolve(
    reference: str | None,
    *,
    name: str,
    target: Target,
    ask: Ask | None = None,
    remembered: dict[str, str] | None = None,
) -> str | None:
    """The password that a reference leads to; None when there is no reference.

    Args:
        reference: see above. ``keyring:`` alone means the entry NAME of the service dbgraph_nb.
        name: the connection; ``remembered`` is kept by it.
        target: where the password will be used; it is named in the question.
        ask: asks a person for a password, or None when nobody can be asked.
        remembered: passwords typed in this process; looked up, and added to, for ``prompt:``.

    Raises:
        BadArgument: the text is no reference.
        CredentialMissing: there is no password there, or nobody can be asked.
    """
    if reference is None:
        return None
    kind, _, rest = check_reference(reference).partition(":")
    if kind == "env":
        return _environment(rest)
    if kind == "keyring":
        return _from_keyring(*_account(rest, name))
    return _prompt(name, target, ask, {} if remembered is None else remembered)


def expand_url(url: str) -> str:
    """The URL that ``env:NAME`` stands for; any other text is returned as it is.

    Raises:
        BadArgument: ``env:`` is not followed by the name of a variable.
        CredentialMissing: the variable is not set (code ``env-missing``).
    """
    if not isinstance(url, str) or not url.startswith("env:"):
        return url
    return _environment(check_reference(url).removeprefix("env:"))


def store(name: str, target: Target, password: str) -> str | None:
    """Puts a password into the system's keyring.

    Returns:
        The reference to it, or None if there is no keyring that keeps secrets well (then ask for it again).
    """
    backend = _working_keyring()
    if backend is None:
        return None
    # The entry is bound to where the password belongs, so that another database of the same name never gets it.
    entry = f"{name}-{hashlib.sha256(target.url.encode()).hexdigest()[:8]}"
    try:
        backend.set_password(SERVICE, entry, password)
        if backend.get_password(SERVICE, entry) != password:
            return None
    except Exception:  # noqa: BLE001 - a locked, refusing or broken keyring: the password is asked for instead
        return None
    return f"keyring:{SERVICE}/{entry}"


def discard(reference: str | None, *, name: str) -> None:
    """Deletes the password that ``store`` kept; passwords that the user put elsewhere are left alone."""
    if reference is None or not reference.startswith("keyring:"):
        return
    service, entry = _account(reference.removeprefix("keyring:"), name)
    if service != SERVICE:
        return
    try:
        import keyring

        keyring.delete_password(service, entry)
    except Exception:  # noqa: BLE001 - nothing there, or no keyring: then there is nothing to delete
        return


# --- where they come from ---------------------------------------------------------------------------------------


def _environment(variable: str) -> str:
    """The value of a variable: of the process, else of ``.env`` in the working folder, which is only read."""
    if variable in os.environ:
        return os.environ[variable]
    file = Path(".env")
    if file.is_file():
        import dotenv

        try:
            value = dotenv.dotenv_values(file, interpolate=False).get(variable)
        except (OSError, UnicodeDecodeError):
            value = None
        if value is not None:
            return value
    raise CredentialMissing(
        f"The environment variable {variable} is not set.",
        code="env-missing",
        hint="Set it before the kernel starts, or put it into a file .env in the working folder.",
    )


def _account(rest: str, name: str) -> tuple[str, str]:
    service, _, entry = rest.partition("/")
    return (service, entry) if rest else (SERVICE, name)


def _from_keyring(service: str, entry: str) -> str:
    try:
        import keyring

        found = keyring.get_password(service, entry)
    except Exception as error:  # noqa: BLE001 - back ends raise what they like
        reason = f"The keyring could not be read ({type(error).__name__})."
    else:
        if found is not None:
            return found
        reason = f"The keyring has no password for {entry} of the service {service}."
    raise CredentialMissing(
        reason, code="keyring-missing", hint="Connect again with the password, or use env:NAME or prompt:."
    )


def _prompt(name: str, target: Target, ask: Ask | None, remembered: dict[str, str]) -> str:
    if name in remembered:
        return remembered[name]
    where = f"{target.user or 'the user'} on {target.host or target.database}"
    problem = CredentialMissing(
        f"The password of {where} has to be typed, and there is nobody to ask here.",
        code="no-prompt",
        hint="Store it in the keyring (keyring:) or in an environment variable (env:NAME).",
    )
    if ask is None:
        raise problem
    try:
        password = ask(f"Password of {where} for {name}: ")
    except Exception:  # noqa: BLE001 - end of input, or a frontend that cannot ask
        password = None
    if password is None:
        raise problem
    remembered[name] = password
    return password


def _working_keyring() -> KeyringBackend | None:
    """The keyring in use if it keeps secrets well: not a stand-in, not a plain file, not an empty chain."""
    try:
        import keyring
        from keyring.backends import chainer, fail, null

        backend: Any = keyring.get_keyring()
        if isinstance(backend, fail.Keyring | null.Keyring):
            return None
        if isinstance(backend, chainer.ChainerBackend) and not list(backend.backends):
            return None
        return backend if backend.priority >= 1 else None
    except Exception:  # noqa: BLE001 - whatever a broken installation raises, there is no keyring to use
        return None
