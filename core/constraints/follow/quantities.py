# SPDX-License-Identifier: GPL-3.0-or-later
"""Quantities of a motion that a signal may drive."""

from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum

import numpy as np

from ...arrays import Array, Float64
from ...examples.example_data import Examples
from ...motion.filters import smooth
from ...motion.ground_travel import SWAY_SECONDS
from ...motion.motion import Motion, joint_path
from ...motion.root_motion import RootPlan, encode_root
from ...motion.rotations import lengths
from ...settings import Facing
from .accents import mean_speed


class Drive(StrEnum):
    """Quantity that a signal drives.

    >>> Drive("turning").name
    'YAW'
    """

    ENERGY = "energy"
    """The mean speed of all joints."""
    HEIGHT = "height"
    """The height of a joint above the ground."""
    REACH = "reach"
    """The distance of a joint from the root."""
    YAW = "turning"
    """The speed at which the character turns, either way."""
    TRAVEL = "travel"
    """The speed of the root along the ground."""
    ANYTHING = "anything"
    """Whatever varies in the examples as the signal does."""

    @property
    def needs_joint(self) -> bool:
        """Return whether a joint must be named.

        >>> Drive.HEIGHT.needs_joint, Drive.ENERGY.needs_joint
        (True, False)
        """
        return self in (Drive.HEIGHT, Drive.REACH)


def quantity(drive: Drive, motion: Motion, root: RootPlan, joint: int | None, joints: Sequence[int]) -> Float64 | None:
    """Return a quantity `(T,)` of a motion, in its own units and seconds; None for ANYTHING.

    root: the joint that travels. joint: of HEIGHT and REACH. joints: those whose ENERGY counts. Speeds are averaged
    over a stride, since every step would otherwise be a change of energy.
    """
    rate = motion.frames_per_second
    if drive is Drive.ANYTHING:
        return None
    if drive is Drive.HEIGHT and joint is not None:
        return np.asarray(joint_path(motion, joint) @ np.array(motion.skeleton.up), np.float64)
    if drive is Drive.REACH and joint is not None:
        away = joint_path(motion, joint) - joint_path(motion, root.joint)
        return np.asarray(np.linalg.norm(away, axis=1), np.float64)
    if drive is Drive.ENERGY:
        speed = mean_speed(motion, joints)
    else:
        # A root whose facing is kept has no yaw of its own.
        track = encode_root(motion, replace(root, facing=Facing.FREE))
        rates = np.abs(track.yaw_rate) if drive is Drive.YAW else np.linalg.norm(track.velocity, axis=1)
        speed = rate * rates.astype(np.float64)
    return np.asarray(smooth(speed[:, None], SWAY_SECONDS, rate)[:, 0])


def sampled_quantity(drive: Drive, examples: Examples, joint: int | None) -> Array:
    """Return a quantity `(M,)` at the sampled frames of examples, which tells many clips apart at no cost.

    The speed of the fastest joint stands for ENERGY and ANYTHING. joint: of HEIGHT and REACH.
    """
    speeds = examples.speeds
    if drive is Drive.HEIGHT and joint is not None:
        return np.asarray(speeds.poses[:, joint] @ np.array(examples.skeleton.up, np.float32))
    if drive is Drive.REACH and joint is not None:
        return lengths(speeds.poses[:, joint] - speeds.poses[:, examples.root.joint])
    if drive is Drive.YAW:
        return np.asarray(np.abs(np.concatenate([track.yaw_rate for track in examples.tracks])[speeds.sampled]))
    if drive is Drive.TRAVEL:
        return lengths(np.concatenate([track.velocity for track in examples.tracks])[speeds.sampled])
    return speeds.fastest
