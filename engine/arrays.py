"""Names for arrays by what they hold. Scores are in double precision, features of many rows in single precision."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[Any]
"""Numbers of any kind."""
Floats: TypeAlias = NDArray[np.float64]
Singles: TypeAlias = NDArray[np.float32]
Ints: TypeAlias = NDArray[np.int64]
ShortInts: TypeAlias = NDArray[np.int32]
Places: TypeAlias = NDArray[np.intp]
"""Positions in another array, as numpy's own searches give them."""
Words: TypeAlias = NDArray[np.uint64]
"""64 bits each: hashes and codes of texts."""
Bytes: TypeAlias = NDArray[np.uint8]
Flags: TypeAlias = NDArray[np.bool_]
Int: TypeAlias = int | np.int64
"""One whole number, as Python or as compiled code has it."""
