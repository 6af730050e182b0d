# SPDX-License-Identifier: GPL-3.0-or-later
"""Examples too short: which are refused, and what is said of those that give poor results.

Measured with `build.py bench --short --motions DIR`: six recorded clips (walk, run, two dances, dribbling, jumping
jacks) cut to a length, 5 s made of each, at 30, 60 and 120 fps alike. Transitions in 5 s, and the share of the
example's speed: 1/3 s 29 to 31 and 0.5 to 1.0; 0.5 s 17 to 19 and 0.5 to 1.0; 1 s 7 to 10 and 0.9 to 1.2; 1.5 s 4 to 6;
2 s 3 to 5 and 0.9 to 1.1; 5 s 1 or 2.
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from ..motion import rotations
from ..motion.motion import Motion

SHORTEST_SECONDS = 1 / 3
"""An example that is no cycle and lasts less gives a transition every five frames at 30 fps: no motion at all."""
SHORTEST_FRAMES = 10
"""An example that is no cycle and has fewer frames than this, at the result's rate, has nothing to vary."""
SHORTEST_CYCLE_FRAMES = 6
"""A cycle may be short: it leads into itself. Of fewer frames than this its closing cannot be told."""
ENOUGH_SECONDS = 1.5
"""Examples that last less together, cycles aside, give more than one visible transition a second."""
TRANSITIONS = 9.0
"""So many times in 5 s, over the seconds of all examples, a result jumps (measured, see above)."""
CLOSING_STEPS = 2.0
"""From a cycle's last frame to its first is no farther than so many of its mean steps ..."""
CLOSING_SHARE = 0.75
"""... and than this share of the way to the pose farthest from the first."""


def is_cycle(motion: Motion) -> bool:
    """Return whether the last pose leads to the first."""
    if motion.frames < SHORTEST_CYCLE_FRAMES:
        return False
    steps = _angles_between(motion.rotations, np.roll(motion.rotations, -1, axis=0))
    farthest = _angles_between(motion.rotations, motion.rotations[:1]).max()
    return bool(steps[-1] <= min(CLOSING_STEPS * steps[:-1].mean(), CLOSING_SHARE * farthest))


def _angles_between(poses: NDArray[np.float32], others: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return the root mean square over the joints of the angles between poses `(T, J, 4)`."""
    angles = np.asarray(rotations.angle_between(poses, others), np.float64)
    return np.asarray(np.sqrt(np.mean(angles**2, axis=1)))


def check_lengths(motions: Sequence[Motion], names: Sequence[str]) -> None:
    """Raise InputError, naming the example, where one at the result's rate is too short to vary."""
    for motion, name in zip(motions, names, strict=True):
        rate = motion.frames_per_second
        least = max(SHORTEST_FRAMES, math.ceil(SHORTEST_SECONDS * rate - 1e-6))
        if motion.frames >= least or is_cycle(motion):
            continue
        frames = f"{motion.frames} frame{'s' if motion.frames != 1 else ''} at {rate:g} fps"
        raise InputError(f"{name} has {frames}, too short to vary; use one of at least {least} frames.")


def note_on_lengths(motions: Sequence[Motion]) -> str:
    """Return a sentence where the examples together are so short that results are poor; else nothing.

    >>> note_on_lengths([swing])
    ''
    """
    if not motions or any(is_cycle(motion) for motion in motions):
        return ""
    seconds = sum(motion.frames / motion.frames_per_second for motion in motions)
    return "" if seconds >= ENOUGH_SECONDS else short_note(seconds)


def short_note(seconds: float) -> str:
    """Return the sentence on examples that last so long together.

    >>> short_note(0.5)[:27]
    'The examples last 0.5 s: th'
    """
    return (
        f"The examples last {seconds:.1f} s: the result repeats them and jumps about {TRANSITIONS / seconds:.0f} times "
        "in 5 s. Two seconds or more help, of one action or of several; a cycle may be shorter."
    )
