"""Names that a package offers for modules further down, imported when first used: importing the package costs nothing,
and the command line starts at once."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module


def lazily(package: str, homes: Mapping[str, str]) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """The package's `__getattr__` and `__dir__`.

    `homes` names for every public name the module it is in, with `:name` where it is called otherwise there."""

    def get(name: str) -> object:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module, _, there = homes[name].partition(":")
        value: object = getattr(import_module(module), there or name)
        setattr(sys.modules[package], name, value)
        return value

    def names() -> list[str]:
        return sorted({*vars(sys.modules[package]), *homes})

    return get, names
