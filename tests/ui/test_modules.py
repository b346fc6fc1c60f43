"""The loader of the components' scripts: what it puts together, and what it refuses when a component is loaded."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ui import components
from ui.components.modules import ModuleError, bundle

COMPONENTS = Path(components.__file__).parent


def made(folder: Path, **files: str) -> Path:
    """Files a.js, b.js, ... in a folder; the first is the entry."""
    for name, text in files.items():
        (folder / f"{name}.js").write_text(text, encoding="utf-8")
    return folder / f"{next(iter(files))}.js"


def test_a_module_becomes_a_function_that_gives_its_exports_after_those_that_it_imports(tmp_path: Path) -> None:
    entry = made(
        tmp_path,
        a="import { one, two as zwei } from './b.js';\nexport default function draw() {\n  return one + zwei;\n}\n",
        b="const hidden = 1;\nexport const one = hidden;\nexport async function two() {}\nexport class Three {}\n",
    )
    assert bundle(entry, tmp_path) == (
        "// b.js\nconst module0 = (() => {\nconst hidden = 1;\nconst one = hidden;\nasync function two() {}\n"
        "class Three {}\nreturn { one, two, Three };\n})();\n"
        "// a.js\nconst module1 = (() => {\nconst { one, two: zwei } = module0;\nfunction draw() {\n"
        "  return one + zwei;\n}\nreturn { default: draw };\n})();\n"
        "export default module1.default;\n"
    )


def test_a_module_that_several_import_is_there_once(tmp_path: Path) -> None:
    entry = made(
        tmp_path,
        a="import { b } from './b.js';\nimport { c } from './c.js';\nexport default function f() {}\n",
        b="import {\n  d,\n  e,\n} from './d.js';\nexport const b = d;\n",
        c="import { d } from '../" + tmp_path.name + "/d.js';\nexport const c = d;\n",
        d="export const d = 1;\nexport const e = 2;\n",
    )
    script = bundle(entry, tmp_path)
    assert script.count("// d.js\n") == 1 and script.index("// d.js") < script.index("// b.js") < script.index(
        "// c.js"
    )
    assert "const { d, e } = module0;" in script and script.count("const { d } = module0;") == 1


DRAW = "export default function draw() {}\n"


@pytest.mark.parametrize(
    ("files", "says"),
    [
        ({"a": "import { x } from './b.js';\n" + DRAW}, "there is no module .*b.js, which a.js imports"),
        ({"a": "import { x } from './b.js';\n" + DRAW, "b": "const x = 1;\n"}, "'x', which b.js does not export"),
        (
            {
                "a": "import { b } from './b.js';\n" + DRAW,
                "b": "import { c } from './c.js';\nexport const b = c;\n",
                "c": "import { b } from './b.js';\nexport const c = b;\n",
            },
            "in a circle: b.js -> c.js -> b.js",
        ),
        ({"a": "import { a } from './a.js';\n" + DRAW}, "in a circle: a.js -> a.js"),
        ({"a": "import { x } from 'https://example.org/x.js';\n" + DRAW}, "only files of"),
        ({"a": "import { x } from 'x';\n" + DRAW}, "only files of"),
        ({"a": "import { x } from '../../x.js';\n" + DRAW}, "only files of"),
        ({"a": "import x from './b.js';\n" + DRAW}, "not read: import x from"),
        ({"a": "import * as x from './b.js';\n" + DRAW}, "not read: import"),
        ({"a": "import './b.js';\n" + DRAW}, "not read: import './b.js'"),
        ({"a": "const x = 1;\nexport { x };\n" + DRAW}, "not read: export { x }"),
        ({"a": "export let x = 1;\n" + DRAW}, "not read: export let"),
        ({"a": "export * from './b.js';\n" + DRAW}, "not read: export"),
        ({"a": "export default function () {}\n"}, "not read: export default"),
        ({"a": "export const x = 1;\n"}, "a.js has no default export"),
    ],
)
def test_what_does_not_fit_together_is_refused_when_it_is_loaded(
    tmp_path: Path, files: dict[str, str], says: str
) -> None:
    with pytest.raises(ModuleError, match=says):
        bundle(made(tmp_path, **files), tmp_path)


NAMES = sorted(path.parent.name for path in COMPONENTS.glob("*/*.js") if path.stem == path.parent.name)


@pytest.mark.parametrize("name", NAMES)
def test_every_component_loads_and_asks_nothing_of_the_network(name: str) -> None:
    script = components.script(name)
    assert re.findall(r"^(?:import|export)\b.*|\bimport\(|\bfetch\(|XMLHttpRequest", script, re.MULTILINE) == [
        script.splitlines()[-1]
    ]
    style = components.style(name)
    assert "@import" not in style and "url(" not in style


def test_every_script_belongs_to_a_component() -> None:
    """A file that nothing imports would be dead."""
    loaded = "".join(components.script(name) for name in NAMES)
    files = [path.relative_to(COMPONENTS).as_posix() for path in COMPONENTS.rglob("*.js")]
    assert files and [file for file in files if f"// {file}\n" not in loaded] == []
