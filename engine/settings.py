"""Settings are frozen dataclasses whose fields say what they mean.

The command line reads `--set name=value` into them, the app draws a form from them, the store keeps them as
JSON. Nothing else describes a learner's options.
"""

from __future__ import annotations

import dataclasses
import math
import types
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

MOST: Final = 2**31 - 1
"""The default upper limit of whole-number settings: the largest number that every kernel accepts."""


def setting(
    default: Any,
    help: str,
    *,
    low: float | None = None,
    high: float | None = None,
    formerly: tuple[str, ...] = (),
    names_a_file: bool = False,
    only: tuple[str, str] | None = None,
) -> Any:
    """A settings field: its default, one sentence on what it does, and the range that makes sense.

    `formerly` lists earlier names, which commands, saved models and runs may still use. A setting that names a file is
    for the command line only: someone who fills in a form must not name paths on the server. `only` is another setting
    with the value that it must have for this one to matter; otherwise forms hide this one.
    """
    metadata = {"help": help, "low": low, "high": high, "formerly": formerly, "names_a_file": names_a_file}
    metadata["only"] = only
    return dataclasses.field(default=default, metadata=metadata)


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The settings that every learner has."""

    seed: int = setting(0, "Same seed, same model, whatever the number of workers.", low=0)

    def __post_init__(self) -> None:
        hints = get_type_hints(type(self))
        for spec in dataclasses.fields(self):
            _check(spec, hints[spec.name], getattr(self, spec.name))


@dataclass(frozen=True, kw_only=True)
class ChoosingSettings(Settings):
    """The settings of a learner that can adapt to the amount of data (engine/tasks/training/choosing.py)."""

    choose: bool = setting(
        False,
        "Choose settings that depend on the amount of data by cross-validation, if there are 200 to 1,000 training"
        " documents; with fewer or more, or if you set a value yourself, nothing is chosen.",
    )


S = TypeVar("S", bound=Settings)
V = TypeVar("V")


def with_values(settings: S, values: Mapping[str, str]) -> S:
    """The settings with `name=value` texts applied; a ValueError names the first invalid one."""
    hints = get_type_hints(type(settings))
    known = {spec.name for spec in dataclasses.fields(settings)}
    changes: dict[str, Any] = {}
    for name, text in present_names(type(settings), values).items():
        if name not in known:
            raise ValueError(f"there is no setting {name!r}; known are {', '.join(sorted(known))}")
        changes[name] = _parse(name, hints[name], text)
    return dataclasses.replace(settings, **changes)


def file_settings(kind: type[Settings]) -> list[str]:
    """The settings that name files."""
    return [spec.name for spec in dataclasses.fields(kind) if spec.metadata.get("names_a_file")]


def present_names(kind: type[Settings], values: Mapping[str, V]) -> dict[str, V]:
    """The values under the current names of the settings; ValueError if one is given under two names."""
    known = {spec.name for spec in dataclasses.fields(kind)}
    present = {former: name for former, name in _former_names(kind).items() if former not in known}
    found: dict[str, V] = {}
    for given, value in values.items():
        name = present.get(given, given)
        if name in found:
            raise ValueError(f"setting {name!r} is given twice: {given!r} is another name for it")
        found[name] = value
    return found


def _former_names(kind: type[Settings]) -> dict[str, str]:
    """Former name -> name, for the settings of this kind and of those that it extends."""
    specs = [spec for base in kind.__mro__ if dataclasses.is_dataclass(base) for spec in dataclasses.fields(base)]
    return {former: spec.name for spec in specs for former in spec.metadata.get("formerly", ())}


def takes(kind: type[Settings], name: str) -> str:
    """What may be given for a setting, in words."""
    return _describe(get_type_hints(kind)[name])


def from_json(kind: type[S], values: Mapping[str, Any]) -> S:
    """Settings as they were saved. A field that no longer exists is an error."""
    known = {spec.name for spec in dataclasses.fields(kind)}
    values = present_names(kind, values)
    unknown = sorted(set(values) - known)
    if unknown:
        raise ValueError(f"saved settings name {unknown[0]!r}, which {kind.__name__} does not have")
    hints = get_type_hints(kind)
    kept: dict[str, Any] = {
        k: tuple(v) if _is_tuple(hints[k]) and isinstance(v, list | tuple) else v for k, v in values.items()
    }
    for name, value in kept.items():
        if not any(_is_of(option, value) for option in _options(hints[name])):
            raise ValueError(f"setting {name!r} takes {_describe(hints[name])}, not {value!r}"[:200])
    return kind(**kept)


def _is_of(option: Any, value: Any) -> bool:
    """Whether a saved value is of this type; a whole number is accepted as any number."""
    if option is type(None):
        return value is None
    if get_origin(option) is Literal:
        return value in get_args(option)
    if get_origin(option) is tuple:
        return isinstance(value, tuple) and all(_is_of(get_args(option)[0], item) for item in value)
    if isinstance(value, bool):
        return option is bool
    return isinstance(value, (int, float) if option is float else option)


def _is_tuple(hint: Any) -> bool:
    return any(get_origin(option) is tuple for option in _options(hint))


def _options(hint: Any) -> tuple[Any, ...]:
    if get_origin(hint) in (Union, types.UnionType):
        return get_args(hint)
    return (hint,)


def _parse(name: str, hint: Any, text: str) -> Any:
    options = _options(hint)
    if type(None) in options and text.lower() in ("none", ""):
        return None
    for option in options:
        if option is type(None):
            continue
        try:
            return _parse_one(option, text)
        except ValueError:
            continue
    raise ValueError(f"setting {name!r} takes {_describe(hint)}, not {text!r}")


def _parse_one(option: Any, text: str) -> Any:
    if get_origin(option) is Literal:
        for choice in get_args(option):
            if str(choice) == text:
                return choice
        raise ValueError
    if get_origin(option) is tuple:
        inner = get_args(option)[0]
        return tuple(_parse_one(inner, piece.strip()) for piece in text.split(",") if piece.strip())
    if option is bool:
        if text.lower() in ("true", "yes", "1", "on"):
            return True
        if text.lower() in ("false", "no", "0", "off"):
            return False
        raise ValueError
    if option in (int, float, str):
        return option(text)
    raise TypeError(f"settings cannot hold {option}")


def _describe(hint: Any) -> str:
    words = []
    for option in _options(hint):
        if get_origin(option) is Literal:
            words.append("one of " + ", ".join(map(str, get_args(option))))
        elif get_origin(option) is tuple:
            words.append(f"a comma-separated list of {_describe(get_args(option)[0])}")
        elif option is type(None):
            words.append("none")
        else:
            words.append({int: "a whole number", float: "a number", bool: "true or false", str: "text"}[option])
    return " or ".join(words)


def _check(spec: dataclasses.Field[Any], hint: Any, value: Any) -> None:
    if value is None or isinstance(value, bool | str | tuple):
        for option in _options(hint):
            if get_origin(option) is Literal and value not in get_args(option) and len(_options(hint)) == 1:
                raise ValueError(f"setting {spec.name!r} takes {_describe(hint)}, not {value!r}")
        return
    low, high = spec.metadata.get("low"), spec.metadata.get("high")
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"setting {spec.name!r} must be a finite number, not {value}")
    if isinstance(value, int) and high is None:
        high = MOST
    if low is not None and value < low:
        raise ValueError(f"setting {spec.name!r} must be at least {low}, not {value}")
    if high is not None and value > high:
        raise ValueError(f"setting {spec.name!r} must be at most {high}, not {value}")
