# SPDX-License-Identifier: GPL-3.0-or-later
"""Matching of bodies without limbs, such as snakes, ropes and tentacles: by their longest chains alone."""

import numpy as np

from ...motion.rotations import SMALLEST_NORM
from ...motion.skeleton import Skeleton
from ..bone_names import ARM, LEG, meanings_by_name
from .alignment import align
from .landmarks import LEAST_SURE
from .tree import tree_of


def match_chains(source: Skeleton, target: Skeleton) -> dict[int, tuple[int, float]]:
    """Return the target's joint for each joint of the longest chain of the source, and the confidence.

    Joints correspond in order by how far along their chains they are. There are none if names tell of limbs.
    """
    meanings = [meaning.name for skeleton in (source, target) for meaning in meanings_by_name(skeleton.names).values()]
    if any(name in (*ARM, *LEG) for name in meanings):
        return {}
    chains, shares = [], []
    for skeleton in (source, target):
        tree = tree_of(skeleton, np.asarray(skeleton.stance, np.float64))
        chain = tree.main_chain(tree.chain(tree.top)[0])
        along = tree.along(chain)
        chains.append(chain)
        shares.append((along - along[0]) / max(along[-1] - along[0], SMALLEST_NORM))
    pairs = align(np.abs(shares[0][:, None] - shares[1]))
    return {chains[0][one]: (chains[1][other], LEAST_SURE) for one, other in pairs}
