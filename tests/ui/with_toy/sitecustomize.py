"""On the path of a test's processes: the toy is the only system there is."""

from engine.tasks.registry import TASKS

TASKS.clear()
TASKS["toy"] = "tests.ui.toy:Toy"
