# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks of examples that are too short: those that are refused, and a note on those that give poor results.

Measured with `build.py bench --short --motions DIR` on six recorded clips (walk, run, two dances, dribbling, jumping
jacks), cut to a length; a result of 5 s was made of each, at 30, 60 and 120 fps. The numbers of transitions in 5 s and
the speeds as shares of the example's were, by length: 1/3 s: 29 to 31, 0.5 to 1.0; 0.5 s: 17 to 19, 0.5 to 1.0;
1 s: 7 to 10, 0.9 to 1.2; 1.5 s: 4 to 6; 2 s: 3 to 5, 0.9 to 1.1; 5 s: 1 or 2.
"""

import math
from collections.abc import Sequence

from ..errors import InputError, counted
from ..motion.motion import Motion
from .cycles import Repetition, is_cycle, is_taken_as_cycle

SHORTEST_SECONDS = 1 / 3
"""Shortest duration, in seconds, of an example that is not a cycle. A shorter one gives a transition every five frames
at 30 fps, which is not motion."""
SHORTEST_FRAMES = 10
"""Smallest number of frames, at the result's rate, of an example that is not a cycle; fewer leave nothing to vary."""
ENOUGH_SECONDS = 1.5
"""Total duration of the examples, in seconds, below which results have more than one visible transition a second,
except for cycles."""


CYCLE_NOTE = (
    "One cycle leaves little to vary: variations begin at different moments of it, and their steps differ in pace as "
    "much as its own two. More cycles or a take help."
)


def check_lengths(motions: Sequence[Motion], names: Sequence[str]) -> None:
    """Raise InputError, naming the example, if one at the result's rate is too short to vary.

    >>> check_lengths([swing], ["Swing"])
    """
    for motion, name in zip(motions, names, strict=True):
        if is_long_enough(motion):
            continue
        frames = f"{counted(motion.frames, 'frame')} at {motion.frames_per_second:g} fps"
        remedy = f"use one of {ENOUGH_SECONDS:g} s or more{', or take it as a cycle' * (motion.frames > 1)}."
        raise InputError(f"{name} has {frames}, too short to vary; {remedy}")


def is_long_enough(motion: Motion, rate: float | None = None) -> bool:
    """Return whether a motion is long enough to vary, or a cycle; rate: the result's, None for that of the motion."""
    rate = rate or motion.frames_per_second
    frames = math.floor((motion.frames - 1) * rate / motion.frames_per_second + 1e-6) + 1
    return frames >= max(SHORTEST_FRAMES, math.ceil(SHORTEST_SECONDS * rate - 1e-6)) or is_cycle(motion)


def note_on_lengths(motions: Sequence[Motion], repetitions: Sequence[Repetition] | None = None) -> str:
    """Return a sentence if the examples together are so short that results are poor or alike, else an empty text.

    Examples that `check_lengths` refuses get none. repetitions: whether each is taken as a cycle; None decides it.

    >>> note_on_lengths([swing])
    ''
    """
    choices = [Repetition.AUTOMATIC] * len(motions) if repetitions is None else repetitions
    seconds = sum(motion.frames / motion.frames_per_second for motion in motions)
    if (len(motions) != 1 and seconds >= ENOUGH_SECONDS) or not all(map(is_long_enough, motions)):
        return ""
    if not motions or any(is_taken_as_cycle(*each) for each in zip(motions, choices, strict=True)):
        return CYCLE_NOTE if len(motions) == 1 else ""
    return "" if seconds >= ENOUGH_SECONDS else short_note(seconds)


def short_note(seconds: float) -> str:
    """Return the sentence on examples that together last `seconds`.

    >>> short_note(0.5)[:27]
    'The examples last 0.5 s: th'
    """
    return (
        f"The examples last {seconds:.1f} s: the result repeats them and jumps more than once a second. "
        f"{ENOUGH_SECONDS:g} s or more help, of one action or of several; a cycle may be shorter."
    )
