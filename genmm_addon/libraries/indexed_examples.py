# SPDX-License-Identifier: GPL-3.0-or-later
"""Examples prepared for filling gaps and for steering, cycles repeated, and kept for further edits."""

import sys
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from bpy.types import Object, Scene

from ..animation.reading.clips_on_character import ClipsToCarry, clips_to_carry
from ..animation.reading.evaluation import at_frame
from ..animation.reading.example_spec import (
    ExampleSpec,
    Reading,
    check_example,
    fixed_frame,
    repetition_of,
    used_examples,
)
from ..animation.reading.examples import read_examples
from ..animation.rig import check_armature, read_skeleton
from ..animation.scene_time import scene_rate
from ..core import InputError, Progress, computing, part_of_progress, report_progress, resample
from ..core.examples import Repetition, unrolled
from ..core.library import IndexedMotions, KeptFiles, index_motions, made_once, same_bodies
from .choosing import LibraryChoice, choose_clips, fingerprints_of, preparations_beside
from .kept_preparation import prepared_again
from .last_used import LastUsed

CARRYING, RESAMPLING = 0.4, 0.3
"""Share of the time spent transferring clips to the character, and share of the rest spent resampling them."""
INDEXED = KeptFiles(".index", 2, IndexedMotions)

_kept = LastUsed[Hashable, "FillingExamples"]()


@dataclass(frozen=True)
class ExampleChoice:
    """The examples for filling a gap: a library, or else actions.

    root_bone: the bone that travels, "" for the one found. bone_names: pairs of a bone's name there and here.
    keep_contacts: hands that touch the body in the examples do so on this character.
    """

    specs: tuple[ExampleSpec, ...]
    library: LibraryChoice | None = None
    root_bone: str = ""
    bone_names: tuple[tuple[str, str], ...] = ()
    keep_contacts: bool = True


@dataclass(frozen=True, eq=False)
class FillingExamples:
    """Examples on the character's skeleton at the scene's rate, prepared for filling gaps.

    reading: their channels, and the first of their motions. names: of each motion. key: equal for equal examples.
    """

    prepared: IndexedMotions
    reading: Reading
    names: tuple[str, ...]
    key: Hashable


@dataclass(frozen=True, eq=False)
class LibraryToPrepare:
    """Clips of a library that are not prepared yet: arrays and names, fit for a thread.

    key: the key of the prepared examples. folder: the folder that keeps the preparation.
    """

    clips: ClipsToCarry
    names: tuple[str, ...]
    rate: float
    root_bone: str
    key: Hashable
    folder: Path

    @computing()
    def prepared(self, progress: Progress | None = None) -> FillingExamples:
        """Return the clips prepared for filling gaps; uses no Blender data. Raises InputError, or Cancelled."""
        reading = self.clips.carried(part_of_progress(progress, 0.0, CARRYING), self.folder)
        rest = part_of_progress(progress, CARRYING, 1.0)
        return _made_ready(reading, self.names, self.rate, self.root_bone, self.key, rest, self.folder)


@computing()
def ready_examples(
    character: Object, scene: Scene, choice: ExampleChoice, progress: Progress | None = None
) -> FillingExamples:
    """Return the examples prepared for filling gaps. Raises InputError where they cannot be read, and Cancelled."""
    if choice.library is None:
        return _from_actions(character, scene, choice)
    key, waiting = _looked_up(character, scene, choice, choice.library)
    if waiting is not None:
        keep_examples(waiting.prepared(progress))
    _kept.keep({key: _kept[key]})
    return _kept[key]


@computing()
def library_to_prepare(character: Object, scene: Scene, choice: ExampleChoice) -> LibraryToPrepare | None:
    """Return the library that `ready_examples` would have to prepare; None without one, and where it is prepared.

    Raises InputError where the library cannot be read.
    """
    return None if choice.library is None else _looked_up(character, scene, choice, choice.library)[1]


def all_of(library: LibraryChoice) -> LibraryChoice:
    """Return the choice without a limit of frames: Most Frames applies to generating only."""
    return replace(library, frames=sys.maxsize, fingerprints=())


def keep_examples(examples: FillingExamples) -> None:
    """Keep a library's examples for the session, and forget those that were not used for the longest time."""
    _kept.keep({examples.key: examples})


def _looked_up(
    character: Object, scene: Scene, choice: ExampleChoice, library: LibraryChoice
) -> tuple[Hashable, LibraryToPrepare | None]:
    """Return the key of a library's examples, and the library unless it is prepared."""
    check_armature(character)
    with at_frame(character, scene, fixed_frame(character, (), scene)):
        key = _key_of(character, scene, choice, library)
        return key, None if key in _kept else _to_prepare(character, scene, choice, library, key)


def _key_of(character: Object, scene: Scene, choice: ExampleChoice, library: LibraryChoice) -> Hashable:
    asked = all_of(library)
    rest = (choice.bone_names, choice.keep_contacts, choice.root_bone, scene_rate(scene), _marks_of(character))
    return asked, fingerprints_of(asked), *rest


def _to_prepare(
    character: Object, scene: Scene, choice: ExampleChoice, library: LibraryChoice, key: Hashable
) -> LibraryToPrepare:
    chosen = choose_clips(all_of(library))
    clips = clips_to_carry(character, chosen.motions, choice.bone_names, keep_contacts=choice.keep_contacts)
    return LibraryToPrepare(clips, chosen.names, scene_rate(scene), choice.root_bone, key, preparations_beside(library))


def _from_actions(character: Object, scene: Scene, choice: ExampleChoice) -> FillingExamples:
    reading = read_examples(
        character, choice.specs, scene=scene, bone_names=choice.bone_names, keep_contacts=choice.keep_contacts
    )
    used = used_examples(choice.specs)
    for example, motion in zip(used, reading.motions, strict=True):
        check_example(character, example, motion, scene)
    names = tuple(example.spec.action.name if example.spec.action else "NLA and constraints" for example in used)
    repetitions = tuple(repetition_of(example.spec) for example in used)
    return _made_ready(reading, names, scene_rate(scene), choice.root_bone, repetitions=repetitions)


def _made_ready(
    reading: Reading,
    names: Sequence[str],
    rate: float,
    root_bone: str,
    key: Hashable = None,
    progress: Progress | None = None,
    folder: Path | None = None,
    repetitions: tuple[Repetition, ...] | None = None,
) -> FillingExamples:
    joints = reading.motions[0].skeleton.names
    if root_bone and root_bone not in joints:
        raise InputError(f'The root bone "{root_bone}" is not a bone of the character; choose one of its own.')
    root = joints.index(root_bone) if root_bone else None

    def indexed() -> IndexedMotions:
        motions = []
        for number, motion in enumerate(unrolled(reading.motions, repetitions, root_bone or None)[0]):
            motions.append(resample(motion, rate)[0])
            report_progress(part_of_progress(progress, 0.0, RESAMPLING), number / len(reading.motions))
        return index_motions(motions, root, part_of_progress(progress, RESAMPLING, 1.0))

    def fits(prepared: IndexedMotions) -> bool:
        return prepared.index.frames_per_second == rate and same_bodies(prepared.motions, reading.motions)

    if folder is None:
        prepared = prepared_again(IndexedMotions, reading.motions, (rate, root, repetitions), indexed)
    else:
        asked = (reading.motions, rate, root, repetitions)
        prepared = made_once(INDEXED, folder, asked, indexed, examples=reading.motions, fits=fits)
    known_key = key or (rate, hash(prepared.index.rows.tobytes()))
    return FillingExamples(prepared, replace(reading, motions=tuple(prepared.motions[:1])), tuple(names), known_key)


def _marks_of(character: Object) -> Hashable:
    """Return everything of a character that its clips depend on: its rest pose, and the channels of each bone."""
    skeleton = read_skeleton(character)
    modes = tuple((bone.name, bone.rotation_mode, bone.bone.use_connect) for bone in character.pose.bones)
    return modes, skeleton.rest_rotations.tobytes(), skeleton.rest_translations.tobytes(), skeleton.up
