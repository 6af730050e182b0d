# SPDX-License-Identifier: GPL-3.0-or-later
"""Examples made ready to fill gaps of a character; what is made of a library is kept for the session."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

from bpy.types import Object, Scene

from ..animation.reading.clips_on_character import clips_on_character
from ..animation.reading.example_spec import ExampleSpec, Reading, used_examples
from ..animation.reading.examples import read_examples
from ..animation.rig import read_skeleton
from ..animation.scene_time import scene_rate
from ..core import InputError, resample
from ..core.infill import FillingLibrary, prepare_filling
from ..core.memory import memory_errors_told
from ..libraries.choosing import LibraryChoice, choose_clips, fingerprints_of

KEPT = 2
"""Libraries that stay ready: some 300 bytes for each bone and frame."""
ALL_FRAMES = 2**40
"""A gap is filled out of all clips that are chosen: most frames are a bound of generating alone."""

_kept: dict[Hashable, "FillingExamples"] = {}


@dataclass(frozen=True)
class ExampleChoice:
    """The examples to fill a gap with: a library, or else actions.

    root_bone: the bone that travels, "" the one found. bone_names: pairs of names there and here.
    """

    specs: tuple[ExampleSpec, ...]
    library: LibraryChoice | None = None
    root_bone: str = ""
    bone_names: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, eq=False)
class FillingExamples:
    """Examples on the character's skeleton at the scene's rate, ready to fill gaps.

    reading: their channels, and the first of their motions. names: of each motion. key: the same for the same examples.
    """

    prepared: FillingLibrary
    reading: Reading
    names: tuple[str, ...]
    key: Hashable


@memory_errors_told()
def ready_examples(character: Object, scene: Scene, choice: ExampleChoice) -> FillingExamples:
    """Return the examples ready to fill gaps. Raises InputError where they cannot be read."""
    if choice.library is None:
        return _from_actions(character, scene, choice)
    library = replace(choice.library, frames=ALL_FRAMES, fingerprints=())
    key = (
        library,
        fingerprints_of(library),
        choice.bone_names,
        choice.root_bone,
        scene_rate(scene),
        _marks_of(character),
    )
    kept = _kept.pop(key, None)
    if kept is None:
        found = choose_clips(library)
        reading = clips_on_character(character, found.motions, choice.bone_names)
        kept = _made_ready(reading, found.names, scene_rate(scene), choice.root_bone, key)
    _kept[key] = kept
    while len(_kept) > KEPT:
        del _kept[next(iter(_kept))]
    return kept


def _from_actions(character: Object, scene: Scene, choice: ExampleChoice) -> FillingExamples:
    reading = read_examples(character, choice.specs, scene=scene, bone_names=choice.bone_names)
    used = used_examples(choice.specs)
    for example, motion in zip(used, reading.motions, strict=True):
        motion.check_finite(example.name)
    names = tuple(one.spec.action.name if one.spec.action else "NLA and constraints" for one in used)
    return _made_ready(reading, names, scene_rate(scene), choice.root_bone)


def _made_ready(
    reading: Reading, names: Sequence[str], rate: float, root_bone: str, key: Hashable = None
) -> FillingExamples:
    motions = tuple(resample(motion, rate)[0] for motion in reading.motions)
    joints = motions[0].skeleton.names
    if root_bone and root_bone not in joints:
        raise InputError(f'The root bone "{root_bone}" is not a bone of the character; choose one of its own.')
    root = joints.index(root_bone) if root_bone else None
    prepared = prepare_filling(motions, root)
    found = key or (rate, hash(prepared.index.rows.tobytes()))
    return FillingExamples(prepared, replace(reading, motions=motions[:1]), tuple(names), found)


def _marks_of(character: Object) -> Hashable:
    """Return all of a character that its clips depend on: bones at rest, and how each may be keyed."""
    skeleton = read_skeleton(character)
    modes = tuple((bone.name, bone.rotation_mode, bone.bone.use_connect) for bone in character.pose.bones)
    return modes, skeleton.rest_rotations.tobytes(), skeleton.rest_translations.tobytes(), skeleton.up
