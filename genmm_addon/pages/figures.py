# SPDX-License-Identifier: GPL-3.0-or-later
"""Motions as moving figures: joint positions above the ground, connected by limbs of some thickness."""

import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core import Float32, Float64, InputError, Int64, Motion
from ..core.feet import LOWEST_PERCENT
from ..core.motion import NO_PARENT, SAME_PLACE
from .encoding import decoded, encoded

THINNEST = 0.012
"""Radius of a limb at the end of a chain, such as a finger, in sizes of the skeleton."""
THICKER = 0.055
"""Increase of a limb's radius per reach of the joints below it: the trunk is thick, a foot is thin."""
LONGEST_REACH = 0.5
"""Reach above which limbs do not become thicker, in sizes of the skeleton."""
MOST_FRAMES, MOST_JOINTS, MOST_RATE = 200_000, 2_000, 10_000.0
"""Largest frames, joints and frames per second of a figure in a file; no real motion has more."""
_HEAD = re.compile(r"head(?!.*(end|nub|top|site))", re.IGNORECASE)

Positions = Float32


@dataclass(frozen=True, eq=False)
class Figure:
    """A figure of T frames, J joints and L limbs.

    positions: `(T, J, 3)` in sizes of the skeleton, Z up, the ground at 0. limbs: `(L, 2)` pairs of joints. radii:
    `(L,)` of the limbs, in sizes of the skeleton. head: the head's joint and its parent; None if no joint has such a
    name. joints: the numbers of the figure's joints in a skeleton, if known.
    """

    frames_per_second: float
    positions: Positions
    limbs: Int64
    radii: Float64
    head: tuple[int, int] | None = None
    joints: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if self.positions.ndim != 3 or self.positions.shape[2] != 3 or len(self.positions) == 0:
            raise InputError(f"A figure needs positions of frames and joints, not {self.positions.shape}.")

    @property
    def frames(self) -> int:
        """Return the number of frames T."""
        return len(self.positions)


def figure_values(figure: Figure) -> dict[str, Any]:
    """Return a figure as values for JSON, with its positions encoded."""
    motion = encoded(figure.positions)
    return {
        "rate": figure.frames_per_second,
        "frames": figure.frames,
        "joints": figure.positions.shape[1],
        "motion": motion.text,
        "step": motion.step,
        "limbs": figure.limbs.tolist(),
        "radii": [round(float(radius), 4) for radius in figure.radii],
        "head": figure.head,
    }


def figure_in(values: Any) -> Figure | None:
    """Return the figure in values from any source; None if they do not describe one."""
    try:
        rate, step = float(values["rate"]), float(values["step"])
        frames, joints = int(values["frames"]), int(values["joints"])
        if not (0 < rate < MOST_RATE and 0 < step < 1e3 and 0 < frames <= MOST_FRAMES and 0 < joints <= MOST_JOINTS):
            return None
        positions = decoded(values["motion"], step, frames, joints)
        limbs = np.array(values["limbs"], np.int64).reshape(-1, 2)
        radii = np.array(values["radii"], np.float64)
        head = None if values["head"] is None else (int(values["head"][0]), int(values["head"][1]))
        inside = all(0 <= joint < joints for joint in (*limbs.ravel().tolist(), *(head or ())))
        if not inside or radii.shape != (len(limbs),) or not ((radii >= 0) & (radii < 1)).all():
            return None
        return Figure(rate, positions.astype(np.float32), limbs, radii, head)
    except (ValueError, TypeError, KeyError, IndexError, OverflowError, InputError):
        return None


def figure_of(motion: Motion) -> Figure:
    """Return a motion's figure. Raises InputError for values that are not finite, and for a motion without frames."""
    skeleton = motion.skeleton
    positions = motion.pose()[1].astype(np.float64) @ _axes(skeleton.up).T / skeleton.size
    if not np.isfinite(positions).all():
        raise InputError("The motion has values that are not finite and cannot be drawn; check its source.")
    pairs = [(int(skeleton.parents[joint]), joint) for joint in _ends(motion, positions)]
    kept = sorted({joint for pair in pairs for joint in pair}) or list(range(len(skeleton.names)))
    place = {joint: number for number, joint in enumerate(kept)}
    reaches = skeleton.reaches / skeleton.size
    radii = [THINNEST + THICKER * min(LONGEST_REACH, reaches[below]) for _, below in pairs]
    heads = [pair for pair in pairs if _HEAD.search(skeleton.names[pair[1]])]
    positions = positions[:, kept]
    if positions.size:
        positions[..., 2] -= np.percentile(positions[..., 2].min(axis=1), LOWEST_PERCENT)
    return Figure(
        motion.frames_per_second,
        positions.astype(np.float32),
        np.array([[place[above], place[below]] for above, below in pairs], np.int64).reshape(-1, 2),
        np.array(radii, np.float64),
        (place[heads[0][1]], place[heads[0][0]]) if heads else None,
        tuple(kept),
    )


def _axes(up: tuple[float, float, float]) -> Float64:
    """Return the rotation `(3, 3)` that turns a skeleton's up axis to Z; if Y or Z is up, X keeps its direction."""
    z = np.array(up, np.float64)
    first = np.eye(3)[0] if abs(z[0]) < 0.9 else np.eye(3)[1]
    x = first - (first @ z) * z
    x /= np.linalg.norm(x)
    return np.stack((x, np.cross(z, x), z))


def _ends(motion: Motion, positions: Float64) -> list[int]:
    """Return the lower joints of the limbs to draw; joints with translations are left out, unless all have them."""
    parents = motion.skeleton.parents
    below = np.flatnonzero(parents != NO_PARENT)
    lengths = np.linalg.norm(positions[:, below] - positions[:, parents[below]], axis=2).max(axis=0, initial=0.0)
    long = [int(joint) for joint in below[lengths > SAME_PLACE]]
    fixed = [joint for joint in long if joint not in set(motion.translated.tolist())]
    # In some files, every bone has location keys.
    return fixed or long
