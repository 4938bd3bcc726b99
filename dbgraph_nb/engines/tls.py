"""TLS of a server connection, as the options of its URL ask for it.

In: options of a ``Target``. Out: keyword arguments of the driver. Never: a weaker protection than was asked for.
"""

from __future__ import annotations

import ssl
from collections.abc import Mapping
from typing import Any

from dbgraph_nb.errors import BadArgument


def arguments(options: Mapping[str, str]) -> dict[str, Any]:
    """What to give to pymysql: nothing for PREFERRED, a context that it must use for REQUIRED and above.

    Raises:
        BadArgument: a certificate file cannot be read (code ``bad-certificate``).

    >>> arguments({"ssl_mode": "DISABLED"}), arguments({})
    ({'ssl_disabled': True}, {})
    """
    mode = options.get("ssl_mode", "PREFERRED")
    if mode == "DISABLED":
        return {"ssl_disabled": True}
    if mode == "PREFERRED":
        return {}
    context = unverified()
    if mode != "REQUIRED":
        context.verify_mode = ssl.CERT_REQUIRED
        context.check_hostname = mode == "VERIFY_IDENTITY"
        _load(context, options)
    if "ssl_cert" in options:
        _load_own(context, options)
    return {"ssl": context}


def unverified() -> ssl.SSLContext:
    """TLS that believes any certificate; made without reading the system's authorities, which takes longer than a
    whole connection."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    # Certificates that a server makes for itself lack extensions that this check (on from Python 3.13) asks for.
    context.verify_flags &= ~ssl.VERIFY_X509_STRICT
    return context


def _load(context: ssl.SSLContext, options: Mapping[str, str]) -> None:
    if "ssl_ca" not in options:
        context.load_default_certs()
        return
    try:
        context.load_verify_locations(cafile=options["ssl_ca"])
    except (OSError, ValueError):
        problem = _unreadable("ssl_ca", options["ssl_ca"])
    else:
        return
    raise problem


def _load_own(context: ssl.SSLContext, options: Mapping[str, str]) -> None:
    def no_question() -> str:
        raise ValueError("the key is encrypted")  # instead of asking on the terminal

    try:
        context.load_cert_chain(options["ssl_cert"], options["ssl_key"], password=no_question)
    except (OSError, ValueError):
        problem = _unreadable("ssl_cert and ssl_key", f"{options['ssl_cert']}, {options['ssl_key']}")
    else:
        return
    raise problem


def _unreadable(option: str, path: str) -> BadArgument:
    return BadArgument(
        f"The file of the URL option {option} cannot be used: {path}.",
        code="bad-certificate",
        hint="It must be an existing PEM file, a key without a passphrase.",
    )
