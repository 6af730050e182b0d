# SPDX-License-Identifier: GPL-3.0-or-later
"""Principal axes: the directions along which vectors vary most (Pearson 1901)."""

import numpy as np
from numpy.typing import NDArray


def principal_axes(scatter: NDArray[np.floating], most: int) -> NDArray[np.float64]:
    """Return at most `most` axes `(C, D)`, the one of the largest variance first.

    scatter: `(C, C)` products of centered columns, summed or averaged over the vectors.

    >>> principal_axes(np.diag([1.0, 4.0]), 1).ravel().tolist()
    [0.0, 1.0]
    """
    _, axes = np.linalg.eigh(np.asarray(scatter, np.float64))
    return np.asarray(axes[:, ::-1][:, :most])
