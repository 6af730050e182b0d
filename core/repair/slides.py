# SPDX-License-Identifier: GPL-3.0-or-later
"""Slides: stances during which a foot moves along the ground."""

from itertools import pairwise

import numpy as np

from ..arrays import Mask
from ..feet.contact_detection import SLOW, foot_heights, label_contacts
from ..feet.fixed_stances import LEAST_DRIFT
from ..feet.foot_moves import EASE_SECONDS
from ..feet.footsteps import SHORTEST_STANCE_SECONDS
from ..feet.leg_ik import IkWeights, ik_weights_beside, lock_feet
from ..feet.planting import Standing
from ..motion.comparing import ROUNDING
from ..motion.motion import Motion, joint_path
from ..motion.spans import spans

FASTEST = 2 * SLOW
"""Largest speed of a foot that slides from one stance to another, in sizes per second: twice that of one that stands.
"""


def slides(motion: Motion, standing: Standing) -> list[tuple[int, int, tuple[int, ...]]]:
    """Return the first and last frame of each slide of a foot, with the joints of its leg.

    Frames beside the stance are included: there, the foot is moved to the place of the stance and back. A foot that
    goes while the root, or another standing foot, keeps its place, does so by itself: no flaw.

    >>> from genmm_addon.core.feet import standing_of
    >>> slides(swing, standing_of(swing))
    []
    """
    if not standing.feet:
        return []
    contacts, up = sliding_contacts(motion, standing), np.array(motion.skeleton.up)
    shortest, sliding = SHORTEST_STANCE_SECONDS * motion.frames_per_second, []
    beside = int(np.ceil(EASE_SECONDS * motion.frames_per_second))
    paths = [joint_path(motion, joint) for joint in (*(foot.joint for foot in standing.feet), standing.plan.joint)]
    level = np.stack([places - (places @ up)[:, None] * up for places in paths], axis=1)
    steps = np.linalg.norm(np.diff(level, axis=0), axis=2)
    keeps = np.column_stack((contacts[1:] & contacts[:-1], np.ones(len(steps), bool)))
    for index, foot in enumerate(standing.feet):
        along = np.where(keeps, steps, np.inf)
        along[:, index] = steps[:, index]
        least = along.min(axis=1)
        stances = spans(contacts[:, index])
        behind = [0, *(end for _, end in stances)]
        ahead = [*(first for first, _ in stances[1:]), motion.frames]
        for (first, end), free, taken in zip(stances, behind, ahead, strict=False):
            places = level[first:end, index]
            away = np.linalg.norm(places - np.median(places, axis=0), axis=1).max()
            shuffles = 2 * least[first : end - 1].sum() < steps[first : end - 1, index].sum()
            if end - first >= shortest and away > LEAST_DRIFT * motion.skeleton.size and not shuffles:
                within = max(first - beside, free), min(end + beside, taken) - 1
                sliding.append((*within, tuple(sorted({*foot.leg, foot.joint}))))
    return sliding


def sliding_contacts(motion: Motion, standing: Standing) -> Mask:
    """Return a mask `(T, len(feet))` of the frames at which each foot stands or slides.

    A foot slides between two stances if it is too fast to stand, but is not lifted, while no other foot carries the
    body. Both stances are then one.

    >>> from genmm_addon.core.feet import standing_of
    >>> sliding_contacts(swing, standing_of(swing)).shape
    (60, 0)
    """
    contacts, size = label_contacts(motion, standing.feet, standing.ground), motion.skeleton.size
    quicker = label_contacts(motion, standing.feet, standing.ground, slow=FASTEST)
    unsupported: Mask = np.logical_not(contacts.any(axis=1))
    heights = foot_heights(motion, standing.feet)
    for index in range(len(standing.feet)):
        stances, height = spans(contacts[:, index]), heights[:, index]
        for (_, end), (first, _) in pairwise(stances):
            lift = height[end:first].max() - max(height[end - 1], height[first])
            slid = quicker[end:first, index].all() and unsupported[end:first].any()
            # In a step, the foot is lifted visibly above both stances.
            if slid and lift < LEAST_DRIFT * size:
                contacts[end:first, index] = True
    return contacts


def without_slides(motion: Motion, standing: Standing, sliding: Mask) -> Motion:
    """Return a motion whose feet stand in place during slides; sliding: `(T, J)` the joints that may turn for it.

    The place is the middle of the slide. If a leg is too short for it, the foot goes as far as the leg reaches.
    """
    feet, root = standing.feet, standing.plan.joint
    beside = ik_weights_beside(~sliding, feet, root, motion.frames_per_second)
    repaired = np.array([sliding[:, foot.joint].any() for foot in feet])
    # A leg far from its slide is not moved, and its frames do not affect the place of the stance.
    weights = IkWeights(np.where(repaired, np.maximum(beside.feet, ROUNDING), 0.0), beside.pelvis)
    contacts, heights = sliding_contacts(motion, standing), foot_heights(motion, feet)
    return lock_feet(motion, feet, contacts, heights, np.zeros(0, np.int64), root, weights, standing.knees)
