"""The solver beside the other libraries that the app loads into the same process."""

from __future__ import annotations

import subprocess
import sys

PROGRAMME = """
import {first}
import numpy as np
from engine.learners.margin.quadratic import solve_qp
rows = np.hstack([-np.ones((3, 1)), np.eye(3)])
print(np.round(solve_qp(np.eye(3) + 0.1, np.array([0.0, 1.0, 2.0]), rows, np.array([-1.0, 0, 0, 0]))[0], 6).tolist())
"""


def test_the_solver_survives_the_libraries_of_the_linear_solvers():
    """In a process of its own: what it guards against is a crash."""
    for first in ("numpy", "pulp", "highspy"):
        done = subprocess.run(
            [sys.executable, "-c", PROGRAMME.format(first=first)], capture_output=True, text=True, timeout=120
        )
        assert done.returncode == 0, (first, done.stderr[-500:])
        assert done.stdout.strip() == "[0.0, 0.0, 1.0]"
