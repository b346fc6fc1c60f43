"""The colours of the app, in one place: Okabe-Ito on light, its bright counterpart on dark.

Colours mark bars, lines and underlines only; text keeps the text colour and every state also has a symbol, so
nothing is told by colour alone.
"""

from __future__ import annotations

from typing import Final

LIGHT: Final = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
DARK: Final = ("#56B4E9", "#FF9E4A", "#2BC49A", "#E79AC4", "#F0D54A", "#A99BFF")

RIGHT: Final = "✓"
WRONG: Final = "✗"
MISSED: Final = "∅"
PINNED: Final = ":material/keep:"
"""The sign in our own texts; components draw the same sign from the server's icon font."""

_ROLES: Final = {
    # role: (light, dark)
    "precision": (LIGHT[0], DARK[0]),
    "recall": (LIGHT[1], DARK[1]),
    "f": (LIGHT[2], DARK[2]),
    "positive": (LIGHT[0], DARK[0]),
    "negative": (LIGHT[1], DARK[1]),
    "declined": ("#8A938E", "#7E8A90"),
    "muted": ("#5C6662", "#A0ABA6"),
    "line": ("#D8DED9", "#313B40"),
    "raised": ("#F3F5F2", "#1B2226"),
}


def css() -> str:
    """Custom properties for components: --c0 … --c5 and one per role. They follow the page's colour scheme."""
    lines = [f"--c{i}: light-dark({light}, {dark});" for i, (light, dark) in enumerate(zip(LIGHT, DARK, strict=True))]
    lines += [f"--{role}: light-dark({light}, {dark});" for role, (light, dark) in _ROLES.items()]
    return ":host {\n  " + "\n  ".join(lines) + "\n}\n"


def colours(dark: bool) -> tuple[str, ...]:
    return DARK if dark else LIGHT


def role(name: str, dark: bool) -> str:
    return _ROLES[name][1 if dark else 0]
