# SPDX-License-Identifier: GPL-3.0-or-later
"""Generative motion matching (Li et al., SIGGRAPH 2023) in NumPy: new motion from a few examples.

Conventions: quaternions w, x, y, z; matrices act on column vectors; arrays are frames x joints x
components; lengths in the rig's own units; time in frames with the rate beside it.
Symbols: T frames, J joints, p patch size, K coarsest patches, r pyramid factor, alpha completeness, E iterations.

A leg of two joints that swings for two seconds, and three seconds of new motion from it:

>>> import numpy as np
>>> identity = np.array([1.0, 0.0, 0.0, 0.0])
>>> skeleton = Skeleton(
...     names=("hips", "leg"),
...     parents=np.array([-1, 0]),
...     rest_rotations=np.tile(identity, (2, 1)),
...     rest_translations=np.array([[0.0, 0.0, 1.0], [0.0, 0.0, -0.9]]),
... )
>>> angles = np.sin(0.3 * np.arange(60))[:, None] * [0.1, 0.5]
>>> turns = rotations.from_axis_angle(np.broadcast_to([1.0, 0.0, 0.0], (60, 2, 3)), angles)
>>> swing = Motion(
...     skeleton,
...     frames_per_second=30.0,
...     rotations=turns.astype(np.float32),
...     translated=np.array([0]),
...     translations=np.zeros((60, 1, 3), np.float32),
... )
>>> prepared = prepare([swing], settings=Settings(patch_frames=9, facing=Facing.KEEP))
>>> result = synthesize(prepared, 90, seed=1)
>>> result.motion.rotations.shape
(90, 2, 4)

The examples of the other names go on from here.
"""

from .arrays import Array, Float32, Float64, Indices, Int64, Mask, Rows
from .computation import computing
from .constraints import (
    Constraints,
    Drive,
    Follow,
    FootLock,
    FootLocks,
    Labels,
    LabelStretch,
    Loop,
    OnBeat,
    Places,
    PoseConstraint,
    RootPath,
    Waypoint,
    Waypoints,
)
from .environment import Reach
from .errors import MOST_LISTED, MOST_OFFERED, Cancelled, InputError, counted, listed
from .evaluation import metrics
from .examples.preparing import Prepared, prepare
from .features.body_parts import Part, limb_partition
from .library.indexed_motions import IndexedMotions, index_motions
from .live import Controller, Wish
from .motion import load_bvh, rotations, save_bvh
from .motion.gap import Gap
from .motion.motion import Motion, resample
from .motion.npz import load_motion, save_motion
from .motion.skeleton import Skeleton
from .progress import Progress, part_of_progress, parts_of_progress, report_progress
from .same_values import same_values
from .settings import LARGEST_WEIGHT, Facing, Settings
from .synthesis.result import Synthesis
from .synthesis.synthesize import synthesize

__all__ = [
    "LARGEST_WEIGHT",
    "MOST_LISTED",
    "MOST_OFFERED",
    "Array",
    "Cancelled",
    "Constraints",
    "Controller",
    "Drive",
    "Facing",
    "Float32",
    "Float64",
    "Follow",
    "FootLock",
    "FootLocks",
    "Gap",
    "IndexedMotions",
    "Indices",
    "InputError",
    "Int64",
    "LabelStretch",
    "Labels",
    "Loop",
    "Mask",
    "Motion",
    "OnBeat",
    "Part",
    "Places",
    "PoseConstraint",
    "Prepared",
    "Progress",
    "Reach",
    "RootPath",
    "Rows",
    "Settings",
    "Skeleton",
    "Synthesis",
    "Waypoint",
    "Waypoints",
    "Wish",
    "computing",
    "counted",
    "index_motions",
    "limb_partition",
    "listed",
    "load_bvh",
    "load_motion",
    "metrics",
    "part_of_progress",
    "parts_of_progress",
    "prepare",
    "report_progress",
    "resample",
    "rotations",
    "same_values",
    "save_bvh",
    "save_motion",
    "synthesize",
]
