# SPDX-License-Identifier: GPL-3.0-or-later
"""Chosen clips of libraries as examples on a character's skeleton; the last readings stay in memory."""

from collections.abc import Hashable, Sequence
from dataclasses import replace
from pathlib import Path

from bpy.types import Object

from ..animation.reading.clips_on_character import clips_on_character
from ..animation.reading.example_spec import ExampleSpec, Reading
from ..animation.rig import read_skeleton
from ..core.examples import ExampleSize, Purpose, body_size, check_examples
from ..core.motion import lengths_of
from .choosing import ChosenClips, LibraryChoice, choose_clips, fingerprints_of, label_tags, preparations_beside
from .last_used import LastUsed

BoneNames = Sequence[tuple[str, str]]


Clips = tuple[tuple[ExampleSpec, ...], Reading]

_kept = LastUsed[Hashable, Clips]()
"""Readings by all values on which they depend."""


def read_clips(
    armature: Object,
    choice: LibraryChoice,
    bone_names: BoneNames,
    purpose: Purpose,
    *,
    labels: str = "",
    travel: bool = False,
    keep_contacts: bool = True,
) -> tuple[tuple[ExampleSpec, ...], Reading, LibraryChoice]:
    """Return the chosen clips as examples on the character's skeleton, and the choice with fingerprints.

    labels, travel: as in `choose_clips`. keep_contacts: as in `clips_on_character`. Clips read before are returned as
    the same motions, not as copies. Raises InputError if they do not fit the character or into memory.
    """
    fingerprints = fingerprints_of(choice)
    given = (labels, travel, keep_contacts, tuple(bone_names))
    asked = (replace(choice, fingerprints=fingerprints), *given, _marks_of(armature))

    def read() -> Clips:
        chosen = choose_clips(choice, labels, travel=travel)
        return _read(armature, chosen, bone_names, purpose, preparations_beside(choice), keep_contacts=keep_contacts)

    specs, reading = _kept.made_once(asked, read)
    if choice.fingerprints and choice.fingerprints != fingerprints:
        changed = "The library has changed since: the motion may be another one."
        reading = replace(reading, notes=(changed, *reading.notes))
    return specs, reading, replace(choice, fingerprints=fingerprints)


def forget_clips() -> None:
    """Release the memory of the readings."""
    _kept.clear()


def _read(
    armature: Object,
    chosen: ChosenClips,
    bone_names: BoneNames,
    purpose: Purpose,
    folder: Path,
    *,
    keep_contacts: bool,
) -> Clips:
    sizes = [
        ExampleSize(f'The clip "{name}"', frames, rate)
        for name, frames, rate in zip(chosen.names, lengths_of(chosen.motions), chosen.rates, strict=True)
    ]
    check_examples(sizes, body_size(chosen.motions[0]), purpose)
    reading = clips_on_character(
        armature,
        chosen.motions,
        bone_names,
        keep_contacts=keep_contacts,
        folder=folder,
        checksums=chosen.checksums,
    )
    specs = tuple(
        ExampleSpec(None, clip=name, tags=label_tags(clip))
        for name, clip in zip(chosen.names, chosen.clips, strict=True)
    )
    return specs, replace(reading, notes=(*chosen.notes, *reading.notes))


def _marks_of(armature: Object) -> object:
    """Return all values of a character that affect its clips: the rest pose, rotation modes and connected bones."""
    skeleton = read_skeleton(armature)
    rest = (skeleton.rest_rotations.tobytes(), skeleton.rest_translations.tobytes(), skeleton.up)
    modes = tuple((bone.name, bone.rotation_mode, bone.bone.use_connect) for bone in armature.pose.bones)
    return skeleton.parents.tobytes(), rest, modes, armature.rotation_mode
