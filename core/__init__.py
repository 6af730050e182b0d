# SPDX-License-Identifier: GPL-3.0-or-later
"""Generative motion matching (Li et al., SIGGRAPH 2023) in NumPy: new motion from a few examples.

Conventions: quaternions w, x, y, z; matrices act on column vectors; arrays are frames x joints x
components; lengths in the rig's own units; time in frames with the rate beside it.
Symbols: T frames, J joints, p patch size, K coarsest patches, r pyramid factor, alpha completeness, E iterations.
"""

from .constraints.spec import Constraints, Loop, PoseConstraint, RootPath
from .errors import Cancelled, InputError
from .evaluation import metrics
from .features.body_parts import Part
from .library.examples import Prepared, prepare
from .motion import rotations
from .motion.motion import Motion
from .motion.skeleton import Skeleton
from .settings import Facing, Settings
from .synthesis.result import Synthesis
from .synthesis.synthesize import synthesize

__all__ = [
    "Cancelled",
    "Constraints",
    "Facing",
    "InputError",
    "Loop",
    "Motion",
    "Part",
    "PoseConstraint",
    "Prepared",
    "RootPath",
    "Settings",
    "Skeleton",
    "Synthesis",
    "metrics",
    "prepare",
    "rotations",
    "synthesize",
]
