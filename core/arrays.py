# SPDX-License-Identifier: GPL-3.0-or-later
"""Types of arrays."""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.floating]
"""Real numbers of any precision."""
Float64 = NDArray[np.float64]
Float32 = NDArray[np.float32]
Int64 = NDArray[np.int64]
Mask = NDArray[np.bool_]
"""True for those frames, joints or others that are meant."""
Rows = NDArray[np.float32]
"""Features of frames, a row for each."""
Indices = NDArray[np.int64]
"""Numbers of frames, joints or others."""
