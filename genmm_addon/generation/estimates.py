# SPDX-License-Identifier: GPL-3.0-or-later
"""Estimates of the memory that results need."""

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

MEASURE_BYTES = 16.0
"""Bytes per frame and joint of all results while a batch is measured: rotations without the heading."""


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

    def needs(length: int, results: int) -> float:
        needs = synthesis_needs(length, lengths, body, purpose, constraints=constraint_bytes(request))
        each = needs.kept + length * (keys + MEASURE_BYTES * body.joints)
        return kept + max(needs.peak + (results - 1) * needs.kept, results * each)

    check_results(frames, count, needs)


def _keys(keyed: KeyedChannels) -> int:
    """Return the number of curves of a result, which is its number of keys per frame."""
    turned = sum(width_of(mode) for mode in keyed.rotations.values())
    return turned + 3 * (len(keyed.locations) + len(keyed.scales)) + len(keyed.scalars)
