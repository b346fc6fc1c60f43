"""InputError, the one error for invalid input: which file, which line, which field, and what was expected.

Readers raise it; the command line prints it as one line and the app shows it as one message. Any other exception from
reading a file is a bug of ours.
"""

from __future__ import annotations

from pathlib import Path


class InputError(ValueError):
    """Input that cannot be used, with its place and a sentence on what is wrong."""

    def __init__(
        self,
        what: str,
        *,
        file: str | Path | None = None,
        line: int | None = None,
        field: str | None = None,
    ) -> None:
        self.what = what
        self.file = None if file is None else str(file)
        self.line = line
        self.field = field
        super().__init__(self._sentence())

    def _sentence(self) -> str:
        place = [self.file] if self.file else []
        if self.line is not None:
            place.append(f"line {self.line}")
        if self.field:
            place.append(f"field {self.field!r}")
        text = f"{', '.join(place)}: {self.what}" if place else self.what
        # Always one line: a message that quotes the input must not contain its line breaks.
        return " ".join(text.split())

    def at(self, file: str | Path, line: int | None = None) -> InputError:
        """The same error with its place filled in if it was unknown."""
        return InputError(
            self.what,
            file=self.file or file,
            line=self.line if self.line is not None else line,
            field=self.field,
        )
