# SPDX-License-Identifier: GPL-3.0-or-later
"""Estimates of a synthesis's time, to choose between working at once and in a thread, and of its memory."""

from dataclasses import dataclass

import bpy
from bpy.types import Scene

from ..animation.channels import KeyedChannels
from ..animation.keys.key_writing import KEY_BYTES, KEY_COPIES
from ..animation.reading.example_spec import numbers_used
from ..animation.reading.examples import Reading
from ..animation.rig import read_skeleton
from ..animation.rotation_modes import width_of
from ..animation.scene_time import scene_rate
from ..core.examples import ConstraintBytes, Purpose, body_size, check_results, preparation_needs, synthesis_needs
from ..core.features import limb_partition
from ..core.fields import settings_in
from ..core.motion import resampled_frames
from .request import PartMode, Request

LONGEST_WAIT = 0.7
"""Longest time for which a window may freeze, in seconds, before it seems broken."""

# In seconds, measured on two cores with OpenBLAS. Only the ratios matter once `Estimate` knows the machine's speed.
SECONDS_PER_MOTION = 0.02
SECONDS_PER_FRAME = 4e-5
SECONDS_PER_EXAMPLE_FRAME = 1.5e-4
"""Features, contacts and the transition graph: 20,000 frames of clips take 3 to 4 s."""
SECONDS_PER_VALUE = 5e-8
"""Blending and decoding one channel of one output frame."""
SECONDS_PER_PAIR = 1e-9
"""Comparing one output frame with one example frame, once."""
LIMBS_FACTOR = 2.0
"""Time of matching limb by limb, as a multiple of the time for the whole body."""

WRITING_BYTES = 30.0
"""Bytes per frame and joint while a result is written: its channels in the rotation modes of the bones."""
MEASURE_BYTES = 16.0
"""Bytes per frame and joint of all results while a batch is measured: rotations without the heading."""
COPY_BYTES = 2000.0
"""Bytes per bone of a copied character (measured: 87 kB for 67 bones, with shared meshes)."""


@dataclass(frozen=True)
class ComputationSize:
    """The size of a computation.

    frames: length of each result; variations: number of results; example_frames: frames of all examples together;
    values: channels of one frame; iterations: E; pyramid_factor: r; by_limbs: limbs are matched on their own.
    prepares: the examples are prepared first.
    """

    frames: int
    variations: int
    example_frames: int
    values: int
    iterations: int
    pyramid_factor: float
    by_limbs: bool = False
    prepares: bool = True


class Estimate:
    """Prediction of seconds that learns the machine's speed from every run; BLAS alone makes a factor of five."""

    def __init__(self) -> None:
        self._slowness = 1.0

    def seconds(self, work: ComputationSize) -> float:
        """Return the expected time of the whole computation."""
        return self._slowness * _standard_seconds(work)

    def learn(self, work: ComputationSize, seconds: float) -> None:
        """Move the estimate half-way to a measured time, since the machine may have been busy during that run."""
        measured = seconds / _standard_seconds(work)
        self._slowness = min(max((self._slowness + measured) / 2, 0.1), 50.0)


def _standard_seconds(work: ComputationSize) -> float:
    # Every stage is r times the next finer one in both lengths: a geometric series in r squared.
    stages = 1.0 / (1.0 - work.pyramid_factor**2)
    compared = work.example_frames * work.iterations * stages * SECONDS_PER_PAIR
    per_frame = SECONDS_PER_FRAME + work.values * SECONDS_PER_VALUE + compared
    factor = LIMBS_FACTOR if work.by_limbs else 1.0
    made_ready = work.example_frames * SECONDS_PER_EXAMPLE_FRAME if work.prepares else 0.0
    return made_ready + work.variations * (SECONDS_PER_MOTION + work.frames * per_frame * factor)


def purpose_of(request: Request, scene: Scene) -> Purpose:
    """Return the purpose of a request's examples, as far as it is known before they are read."""
    drawn: tuple[tuple[int, ...] | None, ...] = (None,)
    if request.part_mode is PartMode.LIMBS:
        drawn = (None,) * len(limb_partition(read_skeleton(request.armature)))
    elif request.part_mode is PartMode.PAINTED:
        asked = [part.examples for part in request.parts]
        drawn = (
            *(None if numbers is None else numbers_used(numbers, request.examples) for numbers in asked),
            None,
        )
    return Purpose(scene_rate(scene), drawn, request.settings)


def constraint_bytes(request: Request) -> list[ConstraintBytes]:
    """Return the memory that the constraints of a request add, by the fields that it gives; pins and kept part once."""
    given = (item.constraint for name, item in settings_in(type(request)).items() if getattr(request, name))
    return [kind.memory for kind in dict.fromkeys(given) if kind is not None]


def check_output_memory(
    request: Request, reading: Reading, scene: Scene, *, frames: int, count: int, written: bool, curves: int = 0
) -> None:
    """Raise InputError, naming what would fit, where `count` results of `frames` frames need too much memory together.

    written: they are also keyed in the file, with `curves` further curves for the meshes.
    """
    motions, purpose = reading.motions, purpose_of(request, scene)
    lengths = [resampled_frames(motion, purpose.rate) for motion in motions]
    body = body_size(motions[0])
    kept = preparation_needs(lengths, body, purpose).kept
    copied = KEY_COPIES if bpy.app.background else KEY_COPIES + 1
    keys = (_keys(reading.keyed) + curves) * KEY_BYTES * copied if written else 0.0
    writing = WRITING_BYTES * body.joints if written else 0.0
    copies = COPY_BYTES * body.joints if written else 0.0

    def needs(length: int, results: int) -> float:
        needs = synthesis_needs(length, lengths, body, purpose, constraints=constraint_bytes(request))
        each = needs.kept + length * (keys + MEASURE_BYTES * body.joints) + copies
        return kept + max(needs.peak + (results - 1) * needs.kept, results * each + length * writing)

    check_results(frames, count, needs)


def _keys(keyed: KeyedChannels) -> int:
    """Return the number of curves of a result, which is its number of keys per frame."""
    turned = sum(width_of(mode) for mode in keyed.rotations.values())
    return turned + 3 * (len(keyed.locations) + len(keyed.scales)) + len(keyed.scalars)
