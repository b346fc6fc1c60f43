"""Bundles the ES modules of a component into one string, as Streamlit requires, with nothing to fetch.

Every module keeps its own scope: it becomes a function that is called once and returns the module's exports. Only the
forms allowed by eslint.config.js are supported, at the start of a line: `import { a, b as c } from './x.js';`, `export`
before a function, a class or a const, and `export default` before a named function. Everything else is refused.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

_IMPORT = re.compile(r"^import \{([^}]*)\} from '([^']*)';$", re.MULTILINE)
_EXPORT = re.compile(r"^export (default )?((?:async )?function|class|const) (\w+)", re.MULTILINE)
_UNREAD = re.compile(r"^(?:import|export)\b.*", re.MULTILINE)


class ModuleError(Exception):
    """The modules of a component do not fit together."""


@dataclass(frozen=True)
class _Module:
    path: Path
    name: str
    """The constant that holds its exports."""
    exports: tuple[str, ...]
    code: str


def bundle(entry: Path, root: Path) -> str:
    """One module with the default export of `entry`. Imports may not leave the folder `root`."""
    loaded: dict[Path, _Module] = {}
    first = _load(entry.resolve(), root.resolve(), loaded, ())
    if "default" not in first.exports:
        raise ModuleError(f"{entry.name} has no default export")
    body = "".join(_wrapped(module, module.path.relative_to(root.resolve())) for module in loaded.values())
    return f"{body}export default {first.name}.default;\n"


def _load(path: Path, root: Path, loaded: dict[Path, _Module], importing: tuple[Path, ...]) -> _Module:
    """The module at `path`, loaded after its imports; `importing` are the modules that are waiting for it."""
    if path in importing:
        circle = " -> ".join(one.name for one in (*importing[importing.index(path) :], path))
        raise ModuleError(f"modules import each other in a circle: {circle}")
    if path in loaded:
        return loaded[path]
    try:
        source = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        wanted_by = f", which {importing[-1].name} imports" if importing else ""
        raise ModuleError(f"there is no module {path}{wanted_by}") from None

    def bound(statement: re.Match[str]) -> str:
        names, where = _names(statement[1]), statement[2]
        target = (path.parent / where).resolve()
        if not where.startswith(("./", "../")) or not target.is_relative_to(root):
            raise ModuleError(f"{path.name} imports {where!r}; only files of {root.name}/ can be imported")
        module = _load(target, root, loaded, (*importing, path))
        for name, _ in names:
            if name not in module.exports:
                raise ModuleError(f"{path.name} imports {name!r}, which {target.name} does not export")
        inside = ", ".join(name if name == local else f"{name}: {local}" for name, local in names)
        return f"const {{ {inside} }} = {module.name};"

    code = _IMPORT.sub(bound, source)
    exports = {("default" if found[1] else found[3]): found[3] for found in _EXPORT.finditer(code)}
    code = _EXPORT.sub(r"\2 \3", code)
    unread = _UNREAD.search(code)
    if unread:
        raise ModuleError(f"{path.name} has an import or export in a form that is not read: {unread[0]}")
    given = ", ".join(name if name == local else f"{name}: {local}" for name, local in exports.items())
    module = _Module(path, f"module{len(loaded)}", tuple(exports), f"{code}return {{ {given} }};\n")
    loaded[path] = module
    return module


def _names(text: str) -> list[tuple[str, str]]:
    """Pairs of exported and local name from the braces of an import."""
    found = []
    for one in filter(None, (part.strip() for part in text.split(","))):
        name, _, local = one.partition(" as ")
        found.append((name.strip(), (local or name).strip()))
    return found


def _wrapped(module: _Module, path: Path) -> str:
    return f"// {path.as_posix()}\nconst {module.name} = (() => {{\n{module.code}}})();\n"
