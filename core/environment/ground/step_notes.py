# SPDX-License-Identifier: GPL-3.0-or-later
"""Notes on steps over uneven ground: those that were shortened, and those whose knees are too quick nevertheless."""

import itertools

import numpy as np

from ...feet.calm_knees import Knees
from ...feet.calm_paths import NOTICED, accelerations
from ...feet.contact_detection import Foot
from ...feet.two_bone_ik import pose_leg
from ...motion.motion import Motion
from .foot_paths import PlannedTrack

SHORTER = 0.05
"""Shortest loss of travel that is noted, as a share of the size."""


def note_on_length(length: float, size: float) -> tuple[str, ...]:
    """Return a sentence if shortened steps reduce the character's travel noticeably; length: that of the loss.

    >>> note_on_length(0.01, 1.7)
    ()
    """
    if length < SHORTER * size:
        return ()
    return (
        "Steps were shortened where the ground rises or falls too much: the character's travel is "
        f"{100 * length / size:.0f} % of its size shorter than planned.",
    )


def note_on_knees(
    flat: Motion,
    grounded: Motion,
    feet: dict[int, Foot],
    planned: dict[int, PlannedTrack],
    knees: Knees,
    first_frame: float,
    shortened: bool,
) -> tuple[str, ...]:
    """Return a sentence on the quickest knee, if it is quicker than the examples' knees and than on flat ground.

    flat, grounded: the motion before and after. feet, planned: by number. shortened: steps were allowed to be
    shortened.
    """
    quickest, worst = NOTICED, None
    for index, foot in feet.items():
        before, after = (pose_leg(motion, foot) for motion in (flat, grounded))
        limit = max(knees.acceleration, float(accelerations(before.positions[:, before.knee]).max(initial=0.0)), 1e-12)
        ratios = accelerations(after.positions[:, after.knee]) / limit
        if ratios.max(initial=0.0) > quickest:
            quickest, worst = float(ratios.max()), (index, int(np.argmax(ratios)))
    if worst is None:
        return ()
    index, frame = worst
    name = grounded.skeleton.names[feet[index].leg[-1]]
    rise = 100 * _rise(planned[index], frame) / grounded.skeleton.size
    change = f"{'climbs' if rise >= 0 else 'goes down'} {abs(rise):.0f} % of the character's size in one step"
    mend = "choose a slower motion, or lower steps"
    if not shortened:
        mend = "add frames; steps are not shortened where a path, waypoints, or poses set the place"
    return (
        f'At frame {first_frame + frame:g} the knee above "{name}" is {quickest:.1f} times as quick as in the '
        f"examples: the foot {change}; {mend}.",
    )


def _rise(planned: PlannedTrack, frame: int) -> float:
    """Return the height that a foot climbs in the step at a frame, or in the nearest one."""
    heights, stances = planned.footholds.heights, planned.stances
    if len(stances) < 2:
        return 0.0
    middles = np.array([(before.end + after.first) / 2 for before, after in itertools.pairwise(stances)])
    step = int(np.argmin(np.abs(middles - frame)))
    return float(heights[step + 1] - heights[step])
