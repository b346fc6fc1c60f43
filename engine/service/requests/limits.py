"""How much one request may ask for."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    body: int = 16 << 20
    """Bytes of a request that is answered at once."""
    batch: int = 256 << 20
    """Bytes of a batch of JSON lines, which waits on disk."""
    line: int = 4 << 20
    """Bytes of one line of a batch."""
    documents: int = 1000
    """Documents of a request that is answered at once."""
    characters: int = 1_000_000
    """Characters of one text."""
    outputs: int = 100
    """Outputs of a k-best list."""
    seconds: float = 30.0
    """For reading a request, and for answering it: what INCEpTION waits."""
    waiting: int = 64
    """Requests that may be at work or in line."""
