"""On the path of a test's processes: adds the toy system to the registry of each."""

from engine.tasks.registry import TASKS

TASKS["toy"] = "tests.ui.toy:Toy"
