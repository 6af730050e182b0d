# SPDX-License-Identifier: GPL-3.0-or-later
"""Building of a library from a folder; files that have not changed since the last build are not read again."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from ..animation.reading.rest_start import has_rest_start
from ..core import MOST_LISTED, InputError, Motion, counted
from ..core.library import Clip, ClipLibrary, TagPattern, library_of, near_duplicates
from .mirrored import with_mirrored
from .one_skeleton import all_translated, is_by_mean_pose, is_same_skeleton, onto, usual_poses, with_channels
from .takes import OtherReader, Skipped, SourceFile, Take, bvh_take, cluster_names, content_of

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

    skipped: the files and clips that are not in it. The other fields are numbers of clips: read, reused from an earlier
    build, retargeted from other skeletons, matched by no pattern, and left out as near-duplicates or as repetitions in
    several libraries. on_files: sentences on what newly read files do not state clearly.
    """

    library: ClipLibrary
    read: int
    reused: int
    skipped: tuple[Skipped, ...] = ()
    retargeted: int = 0
    untagged: int = 0
    pruned: int = 0
    repeated: int = 0
    on_files: tuple[str, ...] = ()

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


@dataclass(eq=False)
class _Gathered:
    takes: list[Take] = field(default_factory=list)
    reused: set[int] = field(default_factory=set)
    skipped: list[Skipped] = field(default_factory=list)


def build(
    files: Sequence[SourceFile],
    plan: Plan,
    earlier: ClipLibrary | None = None,
    read_other: OtherReader | None = None,
    progress: Progress = lambda done, count, name: None,
) -> Built:
    """Return the library of the files' motions, in the order of their names.

    earlier: a library of the same files, whose clips are reused for files with the same content. read_other: reads
    files other than BVH. Unusable files are named and left out; raises InputError if no file is left.
    """
    gathered = _gather(files, earlier, read_other, progress)
    if not gathered.takes:
        raise InputError(_none_of(gathered))
    reference, rate = _common(gathered.takes, plan)
    is_as_before = earlier is not None and earlier.reference == reference.skeleton and earlier.frames_per_second == rate
    if gathered.reused and not is_as_before:
        # Clips brought onto the earlier library's skeleton, or to its rate, are not the files' own motions.
        gathered = _gather(files, None, read_other, progress)
    if earlier is not None:
        gathered.takes = _with_cluster_names(gathered.takes, earlier)
    return _finished(gathered, plan, earlier)


def built_of(takes: Iterable[Take | Skipped], plan: Plan) -> Built:
    """Return the library of takes that were read before. Raises InputError if none can be used."""
    gathered = _Gathered()
    for take in takes:
        _keep(gathered, take)
    return _finished(gathered, plan)


def _finished(gathered: _Gathered, plan: Plan, earlier: ClipLibrary | None = None) -> Built:
    if not gathered.takes:
        raise InputError(_none_of(gathered))
    reference, rate = _common(gathered.takes, plan)
    built = _library(gathered, plan, reference, rate)
    built = _pruned(built) if plan.prune else built
    return replace(built, library=with_mirrored(built.library, earlier)) if plan.mirrored else built


def _none_of(gathered: _Gathered) -> str:
    if not gathered.skipped:
        return "No action that is an asset was found; mark actions as assets, or build from all files of the folder."
    first = gathered.skipped[0]
    return f'No file can be used; of "{first.name}": {first.reason}'


def merged(libraries: Sequence[ClipLibrary]) -> Built:
    """Return one library with the clips of several, in the order of their sources, on the most common skeleton.

    A clip that several libraries have is added once. Raises InputError if there is no clip.
    """
    gathered, repeated = _Gathered(), 0
    seen: set[tuple[str, str, bool]] = set()
    entries = [(clip, number, library) for library in libraries for number, clip in enumerate(library.clips)]
    kept: list[Clip] = []
    for clip, number, library in sorted(entries, key=lambda entry: (entry[0].mirrored, entry[0].source)):
        key = (clip.source, clip.fingerprint, clip.mirrored)
        repeated += key in seen
        if key not in seen:
            seen.add(key)
            kept.append(clip)
            motion = library.motion(number)
            origin = (clip.fingerprint, library.reference, library.frames_per_second)
            gathered.takes.append(Take(clip.name, clip.source, motion, *origin, by_mean_pose=clip.by_mean_pose))
    if not kept:
        raise InputError("There is no clip in the libraries; build them from folders with motion files.")
    reference, rate = _common(gathered.takes, Plan())
    motions, clips, skipped = list[Motion](), list[Clip](), list[Skipped]()
    poses = usual_poses(gathered.takes)
    for take, clip in zip(gathered.takes, kept, strict=True):
        try:
            motions.append(onto(take, reference, rate, poses=poses))
            clips.append(replace(clip, by_mean_pose=_comes_by_mean_pose(take, reference)))
        except InputError as error:
            skipped.append(Skipped(take.source, str(error)))
    retargeted = sum(not is_same_skeleton(take.motion, reference.motion) for take in gathered.takes) - len(skipped)
    library = _together(motions, clips, reference)
    return Built(library, len(clips), 0, tuple(skipped), retargeted, repeated=repeated)


def _together(motions: Sequence[Motion], clips: Sequence[Clip], reference: Take) -> ClipLibrary:
    translated = all_translated(motions)
    library = library_of([with_channels(motion, translated) for motion in motions], clips)
    return replace(library, reference=reference.skeleton)


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
            if earlier is not None and fingerprint in known:
                for number in known[fingerprint]:
                    gathered.reused.add(len(gathered.takes))
                    gathered.takes.append(_earlier_take(earlier, number, file))
            elif file.is_bvh:
                _keep(gathered, bvh_take(file, data, fingerprint))
            elif read_other is not None:
                for take in read_other(file, fingerprint):
                    _keep(gathered, take)
        except InputError as error:
            gathered.skipped.append(Skipped(file.name, str(error)))
        progress(done, len(files), file.name)
    return gathered


def _keep(gathered: _Gathered, take: Take | Skipped) -> None:
    """Add a newly read take without a T-pose that was recorded before its motion."""
    if isinstance(take, Skipped):
        gathered.skipped.append(take)
        return
    try:
        if take.motion.frames == 1:
            raise InputError("it has a single frame, which is a pose.")
        take.motion.check_values(take.name)
        first = int(has_rest_start(take.motion))
        gathered.takes.append(replace(take, motion=take.motion.slice(first, take.motion.frames)) if first else take)
    except InputError as error:
        gathered.skipped.append(Skipped(take.source, str(error)))


def _with_cluster_names(takes: Sequence[Take], earlier: ClipLibrary) -> list[Take]:
    """Return takes with the names that an animator gave to their clusters in an earlier library, by their sources."""
    names = cluster_names(clip for clip in earlier.clips if not clip.mirrored)
    return [replace(take, tags=MappingProxyType({**names.get(take.source, {}), **take.tags})) for take in takes]


def _earlier_take(earlier: ClipLibrary, number: int, file: SourceFile) -> Take:
    clip = earlier.clips[number]
    action = clip.source.partition(":")[2]
    source = f"{file.name}:{action}" if action else file.name
    name = clip.name if action else file.stem
    motion = earlier.motion(number)
    origin = (clip.fingerprint, clip.original_skeleton, clip.original_rate, clip.source_tags, clip.by_mean_pose)
    return Take(name, source, motion, *origin)


def _common(takes: Sequence[Take], plan: Plan) -> tuple[Take, float]:
    """Return a take on the skeleton that all clips are brought onto, and their common rate."""
    if plan.skeleton:
        chosen = [take for take in takes if take.source.startswith(plan.skeleton)]
        if not chosen:
            raise InputError(
                f'No clip is called "{plan.skeleton}", whose skeleton --skeleton asks for; check the name.'
            )
        reference = chosen[0]
    else:
        most = Counter(take.skeleton for take in takes).most_common(1)[0][0]
        reference = next(take for take in takes if take.skeleton == most)
    if plan.frames_per_second is not None:
        return reference, plan.frames_per_second
    return reference, Counter(take.rate for take in takes).most_common(1)[0][0]


def _library(gathered: _Gathered, plan: Plan, reference: Take, rate: float) -> Built:
    motions, clips, skipped = list[Motion](), list[Clip](), list(gathered.skipped)
    retargeted = reused = untagged = 0
    poses = usual_poses(gathered.takes)
    for number, take in enumerate(gathered.takes):
        try:
            motion = onto(take, reference, rate, poses=poses)
        except InputError as error:
            skipped.append(Skipped(take.source, str(error)))
            continue
        reused += number in gathered.reused
        retargeted += not is_same_skeleton(take.motion, reference.motion)
        by_mean_pose = _comes_by_mean_pose(take, reference)
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
    library = _together(motions, clips, reference)
    on_files = tuple(dict.fromkeys(note for take in gathered.takes for note in take.notes))
    return Built(library, len(motions) - reused, reused, tuple(skipped), retargeted, untagged, on_files=on_files)


def _comes_by_mean_pose(take: Take, reference: Take) -> bool:
    """Return whether a take's motion is inexact on the reference's skeleton, or has been since an earlier build."""
    is_other = not is_same_skeleton(take.motion, reference.motion)
    return take.by_mean_pose or (is_other and is_by_mean_pose(take.motion, reference.motion))


def tags_by(patterns: Sequence[TagPattern], take: Take) -> Mapping[str, str] | None:
    """Return the tags that the first matching pattern gives a take; None if no pattern matches."""
    return next((tags for pattern in patterns if (tags := pattern.tags(take.source)) is not None), None)
