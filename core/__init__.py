# SPDX-License-Identifier: GPL-3.0-or-later
"""Generative motion matching (Li et al., SIGGRAPH 2023) in NumPy: new motion from a few examples.

Conventions: quaternions w, x, y, z; matrices act on column vectors; arrays are frames x joints x
components; lengths in the rig's own units; time in frames with the rate beside it.
Symbols: T frames, J joints, p patch size, K coarsest patches, r pyramid factor, alpha completeness, E iterations.
"""

from .constraints import Constraints, Held, Loop, RootPath
from .errors import Cancelled, InputError
from .examples import Prepared, prepare
from .motion import Motion
from .parts import Part
from .result import Synthesis
from .settings import Facing, Settings
from .skeleton import Skeleton
from .synthesis import synthesize

__all__ = [
    "Cancelled",
    "Constraints",
    "Facing",
    "Held",
    "InputError",
    "Loop",
    "Motion",
    "Part",
    "Prepared",
    "RootPath",
    "Settings",
    "Skeleton",
    "Synthesis",
    "prepare",
    "synthesize",
]
