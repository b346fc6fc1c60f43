"""Known weaknesses of the locked versions of what we depend on, by pip-audit.

python -m tests.trials.audit     # `make audit`

Ends with 1 where there is one. Where the database of weaknesses cannot be reached, it says so and ends with 0.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]


def main() -> int:
    command = [sys.executable, "-m", "pip_audit", "--requirement", "requirements.lock", "--require-hashes"]
    command += ["--disable-pip", "--format", "json", "--progress-spinner", "off"]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if not ended.stdout:
        print(f"not audited: {(ended.stderr.strip().splitlines() or ['pip-audit said nothing'])[-1]}")
        return 0 if "Connection" in ended.stderr else 1
    weak, sentence = told(json.loads(ended.stdout))
    print("\n".join([*weak, sentence]))
    return 1 if weak else 0


def told(found: Mapping[str, Any]) -> tuple[list[str], str]:
    """A line for each known weakness, and a sentence on how many packages were looked at."""
    packages = found["dependencies"]
    skipped = [one for one in packages if "skip_reason" in one]
    weak = [
        f"{one['name']} {one['version']}: {weakness['id']}, mended in {', '.join(weakness['fix_versions']) or 'none'}"
        for one in packages
        for weakness in one.get("vulns", [])
    ]
    audited = len(packages) - len(skipped)
    rest = f"; {len(skipped)} could not be looked up: the database cannot be reached" if skipped else ""
    return weak, f"{len(weak)} known weaknesses in {audited} audited packages{rest}"


if __name__ == "__main__":
    sys.exit(main())
