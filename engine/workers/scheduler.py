"""Whether a Dask scheduler answers, asked before any work is done for it."""

from __future__ import annotations

from typing import Any, Final

from engine.data.errors import InputError

PATIENCE: Final = 5.0
"""Seconds to wait for an answer; a scheduler that is there answers at once."""


def check_scheduler(address: str) -> None:
    """InputError unless a scheduler answers at the address.

    Not by Dask's `Client`: it waits forever for an address of an unknown kind.
    """
    # Imported here: most commands ask nobody.
    import asyncio

    try:
        from distributed.comm.core import connect
        from distributed.security import Security
    except ImportError as error:
        raise InputError("--cluster needs dask and distributed: pip install dask distributed; or use --jobs") from error

    async def call() -> None:
        # The arguments hold the certificates of the user's Dask configuration, for tls:// addresses.
        how: dict[str, Any] = Security().get_connection_args("client")
        answer = await connect(address, timeout=PATIENCE, **how)
        await answer.close()

    try:
        asyncio.run(call())
    except OSError as error:
        raise InputError(f"no Dask scheduler answers at {address}: start one with `dask scheduler`") from error
    except (ValueError, TypeError) as error:
        raise InputError(
            f"{address!r} is not the address of a Dask scheduler, such as 127.0.0.1:8786: {error}"
        ) from error
