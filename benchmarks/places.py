"""Where benchmarks find their corpora, and what they all say about --quick."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
SAMPLES: Final = ROOT / "sample_data"
"""What a quick run works on in place of the real corpora, which not everybody has."""
DATA: Final = Path(os.environ.get("ESPALIER_DATA") or ROOT.parent / "shared" / "data")
"""The real corpora."""


def parser(about: str | None) -> argparse.ArgumentParser:
    """Of a benchmark with this docstring; it knows --quick."""
    made = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--quick", action="store_true", help="a reduced size, to see that it runs; numbers mean little")
    return made
