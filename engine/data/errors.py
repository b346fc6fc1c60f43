"""The one error that bad input raises: which file, which line, which field, and what was expected.

Readers raise it at the door; the command line prints it as one line and the app as one message.
Anything else that escapes from reading a file is a defect of ours.
"""

from __future__ import annotations

from pathlib import Path


class InputError(ValueError):
    """Input that cannot be used, with its place and a sentence that says what to do."""

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
        # One line always: a message that quotes the input must not smuggle in line breaks.
        return " ".join(text.split())

    def at(self, file: str | Path, line: int | None = None) -> InputError:
        """The same error with its place filled in where it was unknown."""
        return InputError(
            self.what,
            file=self.file or file,
            line=self.line if self.line is not None else line,
            field=self.field,
        )
