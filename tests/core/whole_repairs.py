# SPDX-License-Identifier: GPL-3.0-or-later
"""The statement that flaws of the whole body are repaired as a whole or not at all."""

from dataclasses import replace

import numpy as np

from genmm_addon.core import Motion
from genmm_addon.core.feet import standing_of
from genmm_addon.core.repair import FlawKind, find_flaws, repair


def check_repaired_whole(wrong: Motion, kinds: frozenset[FlawKind], elsewhere: tuple[int, int]) -> None:
    """Check that the only flaw of a motion is left for some joints, at other frames, without feet or a moving root."""
    standing = standing_of(wrong)
    (flaw,) = find_flaws(wrong, standing, kinds)
    still = np.zeros((wrong.frames, 0, 3), np.float32)
    rooted = replace(wrong, translated=np.zeros(0, np.int64), translations=still)
    footless = replace(standing, feet=(), ground=np.zeros(0))
    assert repair(wrong, [replace(flaw, joints=flaw.joints[1:])], standing) is wrong
    assert repair(wrong, [replace(flaw, first=elsewhere[0], last=elsewhere[1])], standing) is wrong
    assert repair(wrong, [flaw], footless) is wrong and repair(rooted, [flaw], standing) is rooted
    assert find_flaws(wrong, footless, kinds) == ()
