# SPDX-License-Identifier: GPL-3.0-or-later
"""The center of mass of a motion, and where it is heading."""

import numpy as np

from ...arrays import Float64
from ...errors import InputError
from ...motion.motion import Motion, pose_along
from .segments import BodyModel


def center_of_mass(motion: Motion, model: BodyModel) -> Float64:
    """Return the center of mass `(T, 3)` of a body in motion, in the space of the roots.

    Raises InputError for a body with another number of joints.

    >>> center_of_mass(swing, find_body_model(swing.skeleton)).shape
    (60, 3)
    """
    if len(model.masses) != len(motion.skeleton.names):
        raise InputError(f"The body has {len(model.masses)} segments, but the skeleton {len(motion.skeleton.names)}.")
    weighty = np.flatnonzero(model.masses > 0)
    chain = sorted({joint for heavy in weighty.tolist() for joint in motion.skeleton.chain(heavy)})
    matrices, positions = pose_along(motion, chain)
    at = [chain.index(joint) for joint in weighty.tolist()]
    shares = model.masses[weighty] / model.masses.sum()
    arms = np.einsum("tjab,jb->tja", matrices[:, at], model.centers[weighty], optimize=True)
    return np.asarray(np.einsum("j,tja->ta", shares, positions[:, at] + arms), np.float64)


def velocity_of(path: Float64, rate: float) -> Float64:
    """Return the velocity `(T, 3)` along a path `(T, 3)`, in units per second.

    >>> velocity_of(np.arange(6.0).reshape(2, 3), 30.0).tolist()
    [[90.0, 90.0, 90.0], [90.0, 90.0, 90.0]]
    """
    return np.asarray(np.gradient(path, axis=0) * rate if len(path) > 1 else np.zeros_like(path))


def extrapolated_center(
    path: Float64, ground: Float64 | float, up: tuple[float, float, float], gravity: float, rate: float
) -> Float64:
    """Return the extrapolated center of mass `(T, 3)`: the center moved by its velocity over the pendulum's frequency.

    path: `(T, 3)` the center of mass. ground: height of the ground below it, for all frames or each `(T,)`. gravity: in
    units per second squared. A body that is to come to rest without a step needs it inside the support: Hof, Gazendam,
    Sinke, "The condition for dynamic stability", 2005. Raises InputError for a gravity that is not above zero.

    >>> path = np.tile([0.0, 0.0, 1.0], (5, 1))
    >>> bool((extrapolated_center(path, 0.0, (0.0, 0.0, 1.0), 9.81, 30.0) == path).all())
    True
    """
    if not gravity > 0:
        raise InputError("Gravity must be above zero, in units of the skeleton per second squared.")
    axis = np.array(up)
    heights = np.maximum(path @ axis - ground, 0.0)
    velocity = velocity_of(path, rate)
    level = velocity - (velocity @ axis)[:, None] * axis
    return np.asarray(path + np.sqrt(heights / gravity)[:, None] * level)
