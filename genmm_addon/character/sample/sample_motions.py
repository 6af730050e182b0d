# SPDX-License-Identifier: GPL-3.0-or-later
"""The sample character's motions, defined in seconds and sampled at any rate."""

from collections.abc import Callable, Mapping
from functools import cache, partial
from types import MappingProxyType

import numpy as np

from ...core import Array, Motion
from . import sample_dance, sample_wave
from .sample_posing import Controls, posed
from .walk.gait import SECONDS as WALK_SECONDS
from .walk.style import PROUD, TIRED
from .walk.walking import walk

AUTHORED: Mapping[str, tuple[float, Callable[[Array], Controls]]] = {
    "GenMM Walk": (WALK_SECONDS, walk),
    "GenMM Walk Tired": (WALK_SECONDS, partial(walk, style=TIRED)),
    "GenMM Walk Proud": (WALK_SECONDS, partial(walk, style=PROUD)),
    "GenMM Wave": (sample_wave.SECONDS, sample_wave.wave),
    "GenMM Dance": (sample_dance.SECONDS, sample_dance.dance),
}
"""Names of the motions, their durations in seconds, and the functions that return their controls at given times."""


TAGS: Mapping[str, str] = {
    "GenMM Walk": "action=walk, style=normal",
    "GenMM Walk Tired": "action=walk, style=tired",
    "GenMM Walk Proud": "action=walk, style=proud",
    "GenMM Wave": "action=wave",
    "GenMM Dance": "action=dance",
}
"""Tags of the motions when they are used as examples."""


@cache
def sample_motions(frames_per_second: float, units_per_meter: float = 1.0) -> Mapping[str, Motion]:
    """Return the motions by name, at the scene's rate and in its units.

    They have rotations of all bones and translations of the hips. The result is cached for further characters.
    """
    motions = {}
    for name, (seconds, author) in AUTHORED.items():
        times = np.arange(int(seconds * frames_per_second + 1e-6) + 1) / frames_per_second
        motions[name] = posed(author(times), frames_per_second, units_per_meter)
    return MappingProxyType(motions)
