# SPDX-License-Identifier: GPL-3.0-or-later
"""Building of a library from a folder; files that have not changed since the last build are not read again."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

import numpy as np

from ..animation.reading.rest_start import has_rest_start
from ..core import MOST_LISTED, InputError, Motion, Skeleton, counted, same_values
from ..core.library import Clip, ClipLibrary, LeftOut, TagPattern, library_of, near_duplicates
from ..core.motion import evenly
from .mirrored import with_mirrored
from .one_skeleton import (
    Matches,
    Poses,
    all_translated,
    is_by_mean_pose,
    is_same_skeleton,
    matches_onto,
    onto,
    usual_poses,
    with_channels,
)
from .takes import (
    OtherReader,
    SourceFile,
    Take,
    bvh_take,
    cluster_names,
    content_of,
    earlier_takes,
    file_of,
    parts_of,
    tags_by,
)

MOST_DECIDING = 64
"""Files, evenly spread over the folder, that decide the skeleton, rate and usual poses of its library. Each shard reads
all of them, so that all decide the same; a folder has thousands."""
Progress = Callable[[int, int, str], None]
"""Function called with the number of files done, their total, and the last name; it may raise to stop the build."""


@dataclass(frozen=True)
class Plan:
    """The way in which a library is built.

    patterns: give tags to clips by their names; the first that matches counts. frames_per_second: None is the most
    common rate. skeleton: beginning of the source whose skeleton all clips are brought onto; "" is the most common
    skeleton. prune: leave out near-duplicates. mirrored: add each clip mirrored.
    """

    patterns: tuple[TagPattern, ...] = ()
    frames_per_second: float | None = None
    skeleton: str = ""
    prune: bool = False
    mirrored: bool = False


@dataclass(frozen=True, eq=False)
class Built:
    """A library, and statistics of its build.

    skipped: the files and clips that are not in it, by name. decided: a sentence on the skeleton, if there are several.
    on_files: sentences on what newly read files do not state clearly. The other fields are numbers of clips: read,
    reused from an earlier build, retargeted from other skeletons, matched by no pattern, and left out as
    near-duplicates or as repetitions in several libraries.
    """

    library: ClipLibrary
    read: int
    reused: int
    skipped: tuple[LeftOut, ...] = ()
    retargeted: int = 0
    untagged: int = 0
    pruned: int = 0
    repeated: int = 0
    on_files: tuple[str, ...] = ()
    decided: str = ""

    @property
    def notes(self) -> tuple[str, ...]:
        """Return sentences on files, and on clips transferred by mean poses, in this build or an earlier one."""
        listed, more = list(self.on_files[:MOST_LISTED]), len(self.on_files) - MOST_LISTED
        if more > 0:
            listed.append(f"{counted(more, 'more note')} of this kind; genmm info FILE has those on a file.")
        return (*listed, *self._on_mean_poses())

    def _on_mean_poses(self) -> tuple[str, ...]:
        inexact = [clip.source for clip in self.library.clips if clip.by_mean_pose and not clip.mirrored]
        if not inexact:
            return ()
        first, count = inexact[0], len(inexact)
        named = f'"{first}"' + (f" and {counted(count - 1, 'more clip')}" if count > 1 else "")
        return (
            f"The rest pose of {named}, or of the clips whose skeleton the library has, is not that of a body: limbs "
            "are matched by mean poses instead, and hands and feet may be 2 to 50 cm off; if that shows, build a "
            "library for each kind of file.",
        )


@dataclass(frozen=True, eq=False)
class _Decision:
    """The reference, whose skeleton all clips get, their rate, usual poses and counterparts of joints.

    said: a sentence on the skeleton.
    """

    reference: Take
    rate: float
    poses: Poses
    matches: Matches
    said: str = ""


@dataclass(eq=False)
class _Gathered:
    takes: list[Take] = field(default_factory=list)
    reused: set[int] = field(default_factory=set)
    skipped: list[LeftOut] = field(default_factory=list)

    def of(self, files: Sequence[SourceFile]) -> "_Gathered":
        """Return what was gathered of some files."""
        names = {file.name for file in files}
        kept = [number for number, take in enumerate(self.takes) if file_of(take.source) in names]
        reused = {place for place, number in enumerate(kept) if number in self.reused}
        skipped = [left for left in self.skipped if file_of(left.name) in names]
        return _Gathered([self.takes[number] for number in kept], reused, skipped)


def build(
    files: Sequence[SourceFile],
    plan: Plan,
    earlier: ClipLibrary | None = None,
    read_other: OtherReader | None = None,
    progress: Progress = lambda done, count, name: None,
    *,
    whole: Sequence[SourceFile] | None = None,
) -> Built:
    """Return the library of the files' motions, in the order of their names.

    earlier: a library of the same files, whose clips are reused for files with the same content. read_other: reads
    files other than BVH. whole: all files of the folder, if `files` is a shard of them; all shards have one skeleton
    and rate. Unusable files are named and left out; raises InputError if no file is left, of the folder for a shard.
    """
    everything = files if whole is None else whole
    gathered, decision = _decided(files, everything, plan, earlier, read_other, progress)
    reference = decision.reference
    is_as_before = (
        earlier is not None
        and earlier.reference == reference.skeleton
        and earlier.frames_per_second == decision.rate
        and same_values(earlier.skeleton, reference.motion.skeleton)
    )
    if gathered.reused and not is_as_before:
        # Clips brought onto the earlier library's skeleton, or to its rate, are not the files' own motions.
        gathered, decision = _decided(files, everything, plan, None, read_other, progress)
    gathered = gathered.of(files)
    if earlier is not None:
        gathered.takes = _with_cluster_names(gathered.takes, earlier)
    return _finished(gathered, plan, decision, earlier)


def built_of(takes: Iterable[Take | LeftOut], plan: Plan) -> Built:
    """Return the library of takes that were read before. Raises InputError if none can be used."""
    gathered = _Gathered()
    for take in takes:
        _keep(gathered, take)
    return _finished(gathered, plan, _decision_of(gathered, gathered.takes, plan))


def _decided(
    files: Sequence[SourceFile],
    whole: Sequence[SourceFile],
    plan: Plan,
    earlier: ClipLibrary | None,
    read_other: OtherReader | None,
    progress: Progress,
) -> tuple[_Gathered, _Decision]:
    """Return what was read of the files, and of those that decide for all shards, with what these decide."""
    deciding = [whole[number].name for number in evenly(len(whole), MOST_DECIDING).tolist()]
    named = [file.name for file in whole if plan.skeleton and _may_have(file, plan.skeleton)]
    needed = {*deciding, *named, *(file.name for file in files)}
    gathered = _gather([file for file in whole if file.name in needed], earlier, read_other, progress)
    voters = [take for take in gathered.takes if file_of(take.source) in deciding]
    for file in whole:
        if voters:
            break
        if file.name not in needed:
            more = _gather([file], earlier, read_other, progress)
            gathered.skipped += more.skipped
            voters += more.takes
        else:
            voters += gathered.of([file]).takes
    return gathered, _decision_of(gathered, voters, plan)


def _may_have(file: SourceFile, source: str) -> bool:
    """Return whether a clip of the file may be the one whose source begins with a text."""
    return file.name.startswith(source) or source.startswith(file.name)


def _decision_of(gathered: _Gathered, voters: Sequence[Take], plan: Plan) -> _Decision:
    """Return the most common skeleton and rate among the voters, or those of the plan. Raises InputError."""
    if not voters:
        raise InputError(_none_of(gathered))
    rate = plan.frames_per_second or Counter(take.rate for take in voters).most_common(1)[0][0]
    if not plan.skeleton:
        reference, said = _most_common(voters)
        return _Decision(reference, rate, usual_poses(voters), matches_onto(voters, reference), said)
    chosen = next((take for take in (*gathered.takes, *voters) if take.source.startswith(plan.skeleton)), None)
    if chosen is None:
        raise InputError(f'No clip is called "{plan.skeleton}", whose skeleton --skeleton asks for; check the name.')
    said, deciding = f'The skeleton is that of "{chosen.source}".', [*voters, chosen]
    return _Decision(chosen, rate, usual_poses(deciding), matches_onto(deciding, chosen), said)


def _most_common(takes: Sequence[Take]) -> tuple[Take, str]:
    """Return the first take on the most common skeleton, and a sentence on its share if there are several."""
    counts = Counter(take.skeleton for take in takes)
    most, count = counts.most_common(1)[0]
    reference = next(take for take in takes if take.skeleton == most)
    said = (
        f'The skeleton is that of "{reference.source}", which {count:,} of {counted(len(takes), "compared clip")} '
        f"have; there are {len(counts)} in all. Choose another with --skeleton on the command line."
    )
    return reference, said if len(counts) > 1 else ""


def _finished(gathered: _Gathered, plan: Plan, decision: _Decision, earlier: ClipLibrary | None = None) -> Built:
    built = replace(_library(gathered, plan, decision), decided=decision.said)
    return _with_sides_and_copies(built, plan, earlier)


def _with_sides_and_copies(built: Built, plan: Plan, earlier: ClipLibrary | None = None) -> Built:
    """Return the build without near-duplicates and with mirrored clips, where the plan asks for it."""
    if not built.library.clips:
        return built
    built = _pruned(built) if plan.prune else built
    return replace(built, library=with_mirrored(built.library, earlier)) if plan.mirrored else built


def _none_of(gathered: _Gathered) -> str:
    if not gathered.skipped:
        return "No action that is an asset was found; mark actions as assets, or build from all files of the folder."
    first = gathered.skipped[0]
    return f'No file can be used; of "{first.name}": {first.reason}'


def merged(libraries: Sequence[ClipLibrary], plan: Plan = Plan()) -> Built:
    """Return one library with the clips of several, in the order of their files, on the most common skeleton.

    A clip that several libraries have is added once. The shards of a folder give the bytes of a single build. plan: its
    `prune` and `mirrored` count. Raises InputError if there is no clip.
    """
    gathered, repeated = _Gathered(), 0
    seen: set[tuple[str, str, bool]] = set()
    skeletons: list[Skeleton] = []
    entries = [(clip, number, library) for library in libraries for number, clip in enumerate(library.clips)]
    kept: list[Clip] = []
    for clip, number, library in sorted(entries, key=lambda entry: (entry[0].mirrored, file_of(entry[0].source))):
        key = (clip.source, clip.fingerprint, clip.mirrored)
        repeated += key in seen
        if key not in seen:
            seen.add(key)
            kept.append(clip)
            motion = _on_one_of(skeletons, library.motion(number))
            origin = (clip.fingerprint, library.reference, library.frames_per_second)
            gathered.takes.append(Take(clip.name, clip.source, motion, *origin, by_mean_pose=clip.by_mean_pose))
    if not kept:
        raise InputError("There is no clip in the libraries; build them from folders with motion files.")
    rate = Counter(take.rate for take in gathered.takes).most_common(1)[0][0]
    reference, said = _most_common(gathered.takes)
    motions, clips = list[Motion](), list[Clip]()
    skipped = list(dict.fromkeys(left for library in libraries for left in library.left_out))
    poses, matches = usual_poses(gathered.takes), matches_onto(gathered.takes, reference)
    for take, clip in zip(gathered.takes, kept, strict=True):
        try:
            motions.append(onto(take, reference, rate, poses=poses, matches=matches))
            clips.append(replace(clip, by_mean_pose=is_by_mean_pose(take, reference, matches)))
        except InputError as error:
            skipped.append(LeftOut(take.source, str(error)))
    retargeted = sum(not is_same_skeleton(take.motion, reference.motion) for take in gathered.takes)
    retargeted -= len(kept) - len(clips)
    library = _together(motions, clips, skipped, reference, rate)
    built = Built(library, len(clips), 0, library.left_out, retargeted, repeated=repeated, decided=said)
    return _with_sides_and_copies(built, plan)


def _on_one_of(skeletons: list[Skeleton], motion: Motion) -> Motion:
    """Return the motion with an equal skeleton of the list, so that it is left as it is; else its own is added."""
    for skeleton in skeletons:
        if same_values(skeleton, motion.skeleton):
            return replace(motion, skeleton=skeleton)
    skeletons.append(motion.skeleton)
    return motion


def _together(
    motions: Sequence[Motion], clips: Sequence[Clip], skipped: Iterable[LeftOut], reference: Take, rate: float
) -> ClipLibrary:
    """Return the library of motions on the reference's skeleton; of a shard without a usable file, an empty one."""
    translated = all_translated(motions)
    moved = [with_channels(motion, translated) for motion in motions]
    skeleton, none = reference.motion.skeleton, np.empty((0, len(reference.motion.skeleton.names), 4), np.float32)
    library = library_of(moved, clips) if moved else ClipLibrary(skeleton, rate, (), none)
    left_out = tuple(sorted(skipped, key=lambda left: left.name))
    return replace(library, reference=reference.skeleton, left_out=left_out)


def _pruned(built: Built) -> Built:
    """Return the build without clips that nearly repeat an earlier one."""
    gone = {number for number, _ in near_duplicates(built.library)}
    kept = [number for number in range(len(built.library.clips)) if number not in gone]
    return replace(built, library=built.library.only(kept), pruned=len(gone))


def _gather(
    files: Sequence[SourceFile], earlier: ClipLibrary | None, read_other: OtherReader | None, progress: Progress
) -> _Gathered:
    known: dict[str, list[int]] = defaultdict(list)
    for number, clip in enumerate(() if earlier is None else earlier.clips):
        if not clip.mirrored:
            known[clip.fingerprint].append(number)
    gathered = _Gathered()
    for done, file in enumerate(files, start=1):
        try:
            data, fingerprint = content_of(file)
            if reused := earlier_takes(earlier, known.get(fingerprint, ()), file):
                gathered.reused.update(range(len(gathered.takes), len(gathered.takes) + len(reused)))
                gathered.takes += reused
            elif file.is_bvh:
                _keep(gathered, bvh_take(file, data, fingerprint))
            elif read_other is not None:
                for take in read_other(file, fingerprint):
                    _keep(gathered, take)
        except InputError as error:
            gathered.skipped.append(LeftOut(file.name, str(error)))
        progress(done, len(files), file.name)
    return gathered


def _keep(gathered: _Gathered, take: Take | LeftOut) -> None:
    """Add a newly read take without a T-pose that was recorded before its motion, parted where it jumps."""
    if isinstance(take, LeftOut):
        gathered.skipped.append(take)
        return
    try:
        if take.motion.frames == 1:
            raise InputError("it has a single frame, which is a pose.")
        take.motion.check_values(take.name)
        first = int(has_rest_start(take.motion))
        begun = replace(take, motion=take.motion.slice(first, take.motion.frames)) if first else take
        gathered.takes.extend(parts_of(begun))
    except InputError as error:
        gathered.skipped.append(LeftOut(take.source, str(error)))


def _with_cluster_names(takes: Sequence[Take], earlier: ClipLibrary) -> list[Take]:
    """Return takes with the names that an animator gave to their clusters in an earlier library, by their sources."""
    names = cluster_names(clip for clip in earlier.clips if not clip.mirrored)
    return [replace(take, tags=MappingProxyType({**names.get(take.source, {}), **take.tags})) for take in takes]


def _library(gathered: _Gathered, plan: Plan, decision: _Decision) -> Built:
    motions, clips, skipped = list[Motion](), list[Clip](), list(gathered.skipped)
    retargeted = reused = untagged = 0
    reference, rate = decision.reference, decision.rate
    for number, take in enumerate(gathered.takes):
        try:
            motion = onto(take, reference, rate, poses=decision.poses, matches=decision.matches)
        except InputError as error:
            skipped.append(LeftOut(take.source, str(error)))
            continue
        reused += number in gathered.reused
        retargeted += not is_same_skeleton(take.motion, reference.motion)
        by_mean_pose = is_by_mean_pose(take, reference, decision.matches)
        tags = tags_by(plan.patterns, take)
        untagged += bool(plan.patterns) and tags is None
        motions.append(motion)
        clips.append(
            Clip(
                take.name,
                take.source,
                0,
                motion.frames,
                MappingProxyType({**take.tags, **(tags or {})}),
                source_tags=take.tags,
                fingerprint=take.fingerprint,
                original_skeleton=take.skeleton,
                original_rate=take.rate,
                by_mean_pose=by_mean_pose,
            )
        )
    library = _together(motions, clips, skipped, reference, rate)
    on_files = tuple(dict.fromkeys(note for take in gathered.takes for note in take.notes))
    return Built(library, len(motions) - reused, reused, library.left_out, retargeted, untagged, on_files=on_files)
