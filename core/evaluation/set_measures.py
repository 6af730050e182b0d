# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures of a set of motions against a reference set, as in MoDi's table (Raab et al. 2023, table 1).

They are FID, KID, precision, recall, diversity and multimodality, on features of our own. The figures order sets as
visual judgment does (see feature_space). They can be compared for one reference only, and never with those of a trained
network.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..errors import InputError
from ..motion.motion import Motion
from ..motion.piecewise import SAMPLE, evenly
from ..motion.root_motion import find_root
from .distributions import diversity, frechet_distance, kernel_distance, multimodality, precision_and_recall
from .feature_space import FeatureSpace, build_feature_space
from .window_features import WindowFeatures, describe_windows, joint_shares


@dataclass(frozen=True, eq=False)
class Reference:
    """A prepared reference set: its skeleton's joints, its root, its feature space and its windows.

    >>> isinstance(prepare_reference([swing]), Reference)
    True
    """

    joints: tuple[str, ...]
    root: int
    space: FeatureSpace
    windows: WindowFeatures


@dataclass(frozen=True)
class SetMeasures:
    """Measures of a set; windows and reference_windows: numbers of windows of one second, a third apart.

    multimodality is None if no group has two motions. diversity is to be compared with reference_diversity.

    >>> isinstance(measure_set([swing], prepare_reference([swing])), SetMeasures)
    True
    """

    fid: float
    kid: float
    precision: float
    recall: float
    diversity: float
    reference_diversity: float
    multimodality: float | None
    windows: int
    reference_windows: int


def prepare_reference(motions: Sequence[Motion]) -> Reference:
    """Return a prepared reference set. Raises InputError for fewer than two windows of one second.

    >>> prepare_reference([swing]).joints
    ('hips', 'leg')
    """
    if not motions:
        raise InputError("The library has no clips to compare with; choose another library.")
    skeleton, root = motions[0].skeleton, find_root(motions)
    windows = describe_windows(motions, root)
    return Reference(skeleton.names, root, build_feature_space(windows, joint_shares(skeleton, root)), windows)


def measure_set(motions: Sequence[Motion], reference: Reference, groups: Sequence[str] | None = None) -> SetMeasures:
    """Return the measures of a set of motions on the reference's skeleton.

    groups: the request that each motion was made for, for the multimodality; None is one group.
    Raises InputError for another skeleton, and for a set with fewer than two windows of one second.

    >>> measures = measure_set([swing], prepare_reference([swing]))
    >>> round(measures.fid, 6), measures.precision, measures.recall
    (0.0, 1.0, 1.0)
    """
    if any(motion.skeleton.names != reference.joints for motion in motions):
        raise InputError("The set's skeleton has other joints than the library's; compare motions of one skeleton.")
    windows = describe_windows(motions, reference.root) if motions else None
    if windows is None or windows.count < 2:
        raise InputError("Measures of sets need at least two windows of one second; give longer or more motions.")
    numbers = np.unique(list(groups), return_inverse=True)[1] if groups else np.zeros(len(motions), np.int64)
    points = reference.space.coordinates(windows)
    reference_points = reference.space.coordinates(reference.windows)
    chosen = evenly(windows.count, SAMPLE)
    of_motions, compared = windows.motions[chosen], points[chosen]
    references = reference_points[:: -(-len(reference_points) // SAMPLE)]
    precision, recall = precision_and_recall(references, compared)
    return SetMeasures(
        fid=frechet_distance(reference_points, points),
        kid=kernel_distance(references, compared),
        precision=precision,
        recall=recall,
        diversity=diversity(compared),
        reference_diversity=diversity(references),
        multimodality=multimodality(compared, of_motions, numbers[of_motions]),
        windows=windows.count,
        reference_windows=len(reference_points),
    )
