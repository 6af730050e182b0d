# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet that slide while they stand."""

import numpy as np

from ..feet.contact_detection import label_contacts
from ..infill.planting import Standing
from ..motion.motion import Motion, pose_along
from .spans import spans

SLIDE = 0.04
"""A foot slides where it goes farther than this share of the size while it stands."""
SHORTEST_SECONDS = 0.2
"""A shorter stance is a touch."""


def slides(motion: Motion, standing: Standing) -> list[tuple[int, int, tuple[int, ...]]]:
    """Return the first and last frame of each stance in which a foot slides, and the joints of its leg.

    >>> from genmm_addon.core.refinement import standing_of
    >>> slides(swing, standing_of(swing))
    []
    """
    if not standing.feet:
        return []
    contacts, up = label_contacts(motion, standing.feet, standing.ground), np.array(motion.skeleton.up)
    shortest, found = SHORTEST_SECONDS * motion.frames_per_second, []
    for index, foot in enumerate(standing.feet):
        places = pose_along(motion, motion.skeleton.chain(foot.joint))[1][:, -1].astype(np.float64)
        level = places - (places @ up)[:, None] * up
        for first, end in spans(contacts[:, index]):
            away = np.linalg.norm(level[first:end] - np.median(level[first:end], axis=0), axis=1).max()
            if end - first >= shortest and 2 * away > SLIDE * motion.skeleton.size:
                found.append((first, end - 1, tuple(sorted({*foot.leg, foot.joint}))))
    return found
