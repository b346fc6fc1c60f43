"""The path through a dependency tree from one token to another."""

from __future__ import annotations

from collections.abc import Sequence


def path_between(
    a: int, b: int, heads: Sequence[object], relations: Sequence[object], words: Sequence[str]
) -> list[str]:
    """Relations up from a to the common ancestor and down to b, with the words passed on the way."""

    def chain(token: int) -> list[int]:
        above = [token]
        while isinstance(heads[above[-1]], int) and len(above) < len(heads):
            head = heads[above[-1]]
            if not isinstance(head, int) or head < 0 or head >= len(heads):
                break
            above.append(head)
        return above

    up, down = chain(a), chain(b)
    common = next((t for t in up if t in down), None)
    if common is None:
        return []
    path: list[str] = []
    for token in up[: up.index(common)]:
        path += [f"↑{relations[token]}"] if token == a else [words[token], f"↑{relations[token]}"]
    if common not in (a, b):
        path.append(words[common])
    for token in reversed(down[: down.index(common)]):
        path += [f"↓{relations[token]}"] if token == b else [f"↓{relations[token]}", words[token]]
    return path
