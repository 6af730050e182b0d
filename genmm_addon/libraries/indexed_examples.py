# SPDX-License-Identifier: GPL-3.0-or-later
"""Examples prepared for filling gaps and for steering, cycles repeated, and kept for further edits."""

import sys
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import isinf
from pathlib import Path

import numpy as np
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
from ..core import (
    InputError,
    Motion,
    Progress,
    Skeleton,
    computing,
    part_of_progress,
    report_progress,
    resample,
)
from ..core.examples import Repetition, each_unrolled, parted, with_foot_travel
from ..core.library import (
    IndexedMotions,
    KeptFiles,
    KeptMotions,
    MotionsLike,
    index_motions,
    keep_motions,
    made_once,
)
from ..core.motion import find_root
from .choosing import LibraryChoice, choose_clips, fingerprints_of, preparations_beside
from .kept_preparation import prepared_again
from .last_used import LastUsed

CARRYING, RESAMPLING = 0.4, 0.3
"""Share of the time spent transferring clips to the character, and share of the rest spent resampling them."""
RESAMPLED = KeptFiles(".resampled", 2)
INDEXED = KeptFiles(".index", 2)

_kept = LastUsed[Hashable, "FillingExamples"]()


@dataclass(frozen=True)
class ExampleChoice:
    """The examples for filling a gap: a library, or else actions.

    root_bone: the bone that travels, "" for the one found. bone_names: pairs of a bone's name there and here.
    keep_contacts: hands that touch the body in the examples do so on this character. travels: walks in place travel as
    their feet do.
    """

    specs: tuple[ExampleSpec, ...]
    library: LibraryChoice | None = None
    root_bone: str = ""
    bone_names: tuple[tuple[str, str], ...] = ()
    keep_contacts: bool = True
    travels: bool = False


@dataclass(frozen=True, eq=False)
class FillingExamples:
    """Examples on the character's skeleton at the scene's rate, prepared for filling gaps.

    reading: their channels, and the first of their motions. names: of each motion. key: equal for equal examples.
    """

    prepared: IndexedMotions
    reading: Reading
    names: tuple[str, ...]
    key: Hashable

    @property
    def are_there(self) -> bool:
        """Return whether the file of the motions exists, if they are in one."""
        motions = self.prepared.motions
        return not isinstance(motions, KeptMotions) or motions.are_there


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
    travels: bool = False

    @computing()
    def prepared(self, progress: Progress | None = None) -> FillingExamples:
        """Return the clips prepared for filling gaps; uses no Blender data. Raises InputError, or Cancelled."""
        clips, asked = self.clips, (self.clips.asked, self.rate, self.root_bone, self.travels)
        root, frames = _root_of(clips.skeleton, self.root_bone), clips.frames
        carried = clips.carried(part_of_progress(progress, 0.0, CARRYING), self.folder)
        rest = part_of_progress(progress, CARRYING, 1.0)
        resampling, indexing = part_of_progress(rest, 0.0, RESAMPLING), part_of_progress(rest, RESAMPLING, 1.0)
        motions = keep_motions(
            RESAMPLED,
            self.folder,
            asked,
            lambda: _changed(carried, self.rate, self.root_bone, travels=self.travels, progress=resampling),
            MotionsLike(clips.skeleton, clips.translated, carried),
            frames=frames,
        )
        prepared = made_once(
            INDEXED,
            self.folder,
            asked,
            lambda: index_motions(motions, root, indexing),
            examples=motions,
            frames=frames,
        )
        return FillingExamples(prepared, _with_first(clips.reading, prepared), self.names, self.key)


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
        is_ready = key in _kept and _kept[key].are_there
        return key, None if is_ready else _to_prepare(character, scene, choice, library, key)


def _key_of(character: Object, scene: Scene, choice: ExampleChoice, library: LibraryChoice) -> Hashable:
    asked = all_of(library)
    given = (choice.bone_names, choice.keep_contacts, choice.root_bone, choice.travels)
    rest = (*given, scene_rate(scene), _marks_of(character))
    return asked, fingerprints_of(asked), *rest


def _to_prepare(
    character: Object, scene: Scene, choice: ExampleChoice, library: LibraryChoice, key: Hashable
) -> LibraryToPrepare:
    chosen = choose_clips(all_of(library))
    clips = clips_to_carry(
        character,
        chosen.motions,
        choice.bone_names,
        keep_contacts=choice.keep_contacts,
        checksums=chosen.checksums,
    )
    rate, folder = scene_rate(scene), preparations_beside(library)
    return LibraryToPrepare(clips, chosen.names, rate, choice.root_bone, key, folder, choice.travels)


def _from_actions(character: Object, scene: Scene, choice: ExampleChoice) -> FillingExamples:
    reading = read_examples(
        character, choice.specs, scene=scene, bone_names=choice.bone_names, keep_contacts=choice.keep_contacts
    )
    used = used_examples(choice.specs)
    for example, motion in zip(used, reading.motions, strict=True):
        check_example(character, example, motion, scene)
    rate = scene_rate(scene)
    root = _root_of(reading.motions[0].skeleton, choice.root_bone)
    takes = parted(reading.motions, [repetition_of(example.spec) for example in used], rate)
    reading = replace(reading, motions=tuple(motion for _, motion in takes))
    specs = [used[number].spec for number, _ in takes]
    names = tuple(spec.action.name if spec.action else "NLA and constraints" for spec in specs)
    repetitions = tuple(repetition_of(spec) for spec in specs)

    def indexed() -> IndexedMotions:
        motions = dict(enumerate(reading.motions)) | dict(
            _changed(reading.motions, rate, choice.root_bone, repetitions, travels=choice.travels)
        )
        return index_motions(tuple(motions.values()), root)

    prepared = prepared_again(IndexedMotions, reading.motions, (rate, root, repetitions, choice.travels), indexed)
    key = rate, hash(prepared.index.rows.tobytes())
    return FillingExamples(prepared, _with_first(reading, prepared), names, key)


def _with_first(reading: Reading, prepared: IndexedMotions) -> Reading:
    return replace(reading, motions=tuple(prepared.motions[:1]))


def _root_of(skeleton: Skeleton, root_bone: str) -> int | None:
    """Return the joint that is chosen as root; None without a choice. Raises InputError for an unknown bone."""
    if root_bone and root_bone not in skeleton.names:
        raise InputError(f'The root bone "{root_bone}" is not a bone of the character; choose one of its own.')
    return skeleton.names.index(root_bone) if root_bone else None


def _changed(
    motions: Sequence[Motion],
    rate: float,
    root_bone: str,
    repetitions: Sequence[Repetition] | None = None,
    *,
    travels: bool,
    progress: Progress | None = None,
) -> Iterator[tuple[int, Motion]]:
    """Yield those motions that repeating their cycles, their feet's travel and a rate change, after their numbers."""
    root = root_bone or (motions[0].skeleton.names[find_root(motions)] if travels else None)
    for number, (motion, rounds) in enumerate(each_unrolled(motions, repetitions, root)):
        (laid,) = with_foot_travel([motion], np.array([rounds]), root) if travels else (motion,)
        resampled = resample(laid, rate)[0]
        if resampled is not motion or not isinf(rounds):
            yield number, resampled
        report_progress(progress, number / len(motions))


def _marks_of(character: Object) -> Hashable:
    """Return everything of a character that its clips depend on: its rest pose, and the channels of each bone."""
    skeleton = read_skeleton(character)
    modes = tuple((bone.name, bone.rotation_mode, bone.bone.use_connect) for bone in character.pose.bones)
    return modes, skeleton.rest_rotations.tobytes(), skeleton.rest_translations.tobytes(), skeleton.up
