# SPDX-License-Identifier: GPL-3.0-or-later
"""Principal axes: the directions along which vectors vary most (Pearson 1901)."""

import numpy as np

from ..arrays import Array, Float64
from ..motion.piecewise import evenly

MOST_AXES = 64
"""Number of axes that stand for poses, or for several frames together: over 99 % of the variance of captured motion."""
MOST_COLUMNS = 2048
"""Largest number of columns whose products are decomposed, in 1.5 s and 130 MB on one core, and of rows from which the
axes of more columns are computed. The time grows with the cube of their number: 341 bones have as many columns as this,
and 5,000 bones took 20 minutes and 21 GB."""


def principal_axes(centered: Array, most: int) -> Float64:
    """Return at most `most` axes `(C, D)` of centered rows `(N, C)`, the one of the largest variance first.

    For more than MOST_COLUMNS columns, the axes are those of as many rows, evenly spread, without axes that have no
    variance.

    >>> principal_axes(np.array([[-1.0, -2.0], [1.0, -2.0], [0.0, 4.0]]), 1).ravel().tolist()
    [0.0, 1.0]
    """
    if not few_columns(centered.shape[1]):
        return _axes_of_few(centered, most)
    return axes_of_products(centered.T @ centered, most)


def few_columns(count: int) -> bool:
    """Return whether a number of columns is small enough to decompose their products.

    >>> few_columns(6 * 300), few_columns(6 * 1200)
    (True, False)
    """
    return count <= MOST_COLUMNS


def axes_of_products(products: Array, most: int) -> Float64:
    """Return at most `most` axes `(C, D)` from the products `(C, C)` of centered columns, summed over the rows.

    >>> axes_of_products(np.diag([1.0, 4.0]), 1).ravel().tolist()
    [0.0, 1.0]
    """
    _, axes = np.linalg.eigh(np.asarray(products, np.float64))
    return np.asarray(axes[:, ::-1][:, :most])


def _axes_of_few(centered: Array, most: int) -> Float64:
    """Return the axes from the products of rows instead of columns, which have the same variances (Turk, Pentland
    1991)."""
    rows = np.asarray(centered[evenly(len(centered), MOST_COLUMNS)], np.float64)
    variances, shares = np.linalg.eigh(rows @ rows.T)
    variances, shares = variances[::-1][:most], shares[:, ::-1][:, :most]
    # Smaller ones are rounding errors, as in NumPy's matrix_rank. At least one axis remains if nothing varies.
    used = variances > len(rows) * np.finfo(np.float64).eps * max(float(variances[0]), 0.0)
    used[0] = True
    axes = rows.T @ shares[:, used]
    return np.asarray(axes / np.maximum(np.linalg.norm(axes, axis=0), 1e-300))
