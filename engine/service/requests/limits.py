"""Limits on a single request."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    body: int = 16 << 20
    """Largest body in bytes, except for batches."""
    batch: int = 256 << 20
    """Largest batch of JSON lines in bytes; large ones are buffered on disk."""
    line: int = 4 << 20
    """Longest line of a batch, in bytes."""
    documents: int = 1000
    """Most documents in a request, except for batches."""
    characters: int = 1_000_000
    """Longest text, in characters."""
    outputs: int = 100
    """Longest k-best list."""
    seconds: float = 30.0
    """Time limit for reading a request, and for answering it; INCEpTION waits as long."""
    waiting: int = 64
    """Most requests that may be in progress or waiting."""
