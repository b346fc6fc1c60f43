"""What Label Studio itself says of a prediction: the validator of its SDK, asked in an environment of its own.

The SDK holds numpy back (by way of OpenCV, for images), so it cannot stand beside what Espalier needs. It comes with
the server in .venv-label-studio (tests/service/label_studio.py), and a process of that Python answers line by line.
"""

from __future__ import annotations

import json
import subprocess
from functools import cache
from typing import Any

from tests.service import label_studio

VALIDATOR = """
import json, sys
from label_studio_sdk.label_interface import LabelInterface
for line in sys.stdin:
    asked = json.loads(line)
    found = LabelInterface(asked["config"]).validate_prediction(asked["prediction"], return_errors=True)
    print(json.dumps([str(one) for one in found]), flush=True)
"""


@cache
def process() -> subprocess.Popen[str] | None:
    """The validator; None where no Label Studio has been installed."""
    found = label_studio.installed()
    if found is None:
        return None
    command = [str(found.with_name("python")), "-c", VALIDATOR]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8")


def faults(config: str, prediction: dict[str, Any]) -> list[str] | None:
    """What is wrong with a prediction; None where there is nobody to ask."""
    validator = process()
    if validator is None:
        return None
    assert validator.stdin is not None and validator.stdout is not None
    validator.stdin.write(json.dumps({"config": config, "prediction": prediction}) + "\n")
    validator.stdin.flush()
    answer = validator.stdout.readline()
    assert answer, "the validator has ended"
    found: list[str] = json.loads(answer)
    return found
