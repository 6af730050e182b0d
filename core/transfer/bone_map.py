# SPDX-License-Identifier: GPL-3.0-or-later
"""Maps from the bones of one skeleton to those of another, which users correct, keep in files and use again."""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from ..errors import InputError, counted, listed
from ..motion.skeleton import Skeleton
from ..storage import Malformed, parse_json_file, read_record, whole_file

FORMAT = "GenMM bone map"
VERSION = 1
Pairs = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class BoneMap:
    """Pairs of a bone of one skeleton and the bone of another one that does its work; an empty name for none.

    name: of the map. source, target: names of the two skeletons, for people. Raises InputError for a map without pairs,
    and for a bone that occurs in two of them.

    >>> BoneMap((("Hips", "pelvis"), ("HatTip", ""))).inverted().pairs
    (('pelvis', 'Hips'), ('', 'HatTip'))
    """

    pairs: Pairs
    name: str = ""
    source: str = ""
    target: str = ""

    def __post_init__(self) -> None:
        if not any(one and other for one, other in self.pairs):
            raise InputError(f"The {self.title} has no pair of bones; add one.")
        for place, side in enumerate(("source", "target")):
            names = [pair[place] for pair in self.pairs if pair[place]]
            repeated = [name for name, count in Counter(names).items() if count > 1]
            if repeated:
                raise InputError(
                    f"The {self.title} has more than one pair with {listed(repeated)} of the {side}; keep one of them."
                )

    @property
    def title(self) -> str:
        """Return the map's name for sentences."""
        return f'map "{self.name}"' if self.name else "map"

    def inverted(self) -> "BoneMap":
        """Return the map from the target to the source."""
        return BoneMap(tuple((other, one) for one, other in self.pairs), self.name, self.target, self.source)

    def oriented(self, source: Skeleton, target: Skeleton) -> "BoneMap":
        """Return the map from the source to the target: the inverse if that knows more of their bones.

        >>> BoneMap((("shin", "leg"),)).oriented(skeleton, replace(skeleton, names=("hips", "shin"))).pairs
        (('leg', 'shin'),)
        """
        inverse = self.inverted()
        return inverse if inverse._known(source, target) > self._known(source, target) else self

    def lacking(self, source: Skeleton, target: Skeleton) -> tuple[str, ...]:
        """Return the names of the bones for the source that it does not have, as after a rename.

        >>> BoneMap((("leg", "leg"), ("tail", "hips"))).lacking(skeleton, skeleton)
        ('tail',)
        """
        pairs = self.oriented(source, target).pairs
        return tuple(name for name, counterpart in pairs if name and counterpart and name not in source.names)

    def between(self, source: Skeleton, target: Skeleton) -> Pairs:
        """Return the pairs for two skeletons, as `match_joints` takes them; a map from target to source is inverted.

        Bones that the source lacks are left out, see `lacking`. Raises InputError for a map of other skeletons, for
        bones that the target lacks, and for pairs that exchange a joint with one below it.

        >>> BoneMap((("shin", "leg"),)).between(skeleton, replace(skeleton, names=("hips", "shin")))
        (('leg', 'shin'),)
        """
        chosen = self.oriented(source, target)
        for place, (skeleton, side) in enumerate(((source, "source"), (target, "target"))):
            names = [pair[place] for pair in chosen.pairs if pair[place]]
            known = sum(name in skeleton.names for name in names)
            if 2 * known < min(len(names), len(skeleton.names)):
                raise InputError(
                    f"The {self.title} is of another skeleton: the {side} has {known} of its "
                    f"{counted(len(names), 'bone')}; choose the map of this one."
                )
        pairs = tuple(pair for pair in chosen.pairs if not pair[0] or pair[0] in source.names)
        unknown = [name for own, name in pairs if own and name and name not in target.names]
        if unknown:
            raise InputError(
                f"The {self.title} has bones that the target does not have: {listed(unknown)}; rename them in the map."
            )
        _check_order(pairs, source, target, self.title)
        return pairs

    def fitting(self, sources: Iterable[Skeleton], target: Skeleton) -> Pairs:
        """Return the pairs for the first of the sources that the map fits, see `between`.

        Raises InputError if it fits none: what `between` says of the first one.

        >>> BoneMap((("leg", "leg"),)).fitting([replace(skeleton, names=("a", "b")), skeleton], skeleton)
        (('leg', 'leg'),)
        """
        refusals = []
        for source in sources:
            try:
                return self.between(source, target)
            except InputError as error:
                refusals.append(error)
        raise refusals[0] if refusals else InputError(f"There is no other skeleton for the {self.title}; choose one.")

    def _known(self, source: Skeleton, target: Skeleton) -> int:
        """Return the number of pairs of which both skeletons have their bones."""
        return sum(one in source.names and other in target.names for one, other in self.pairs if one and other)


def read_bone_map(path: Path) -> BoneMap:
    """Return the map in a file of JSON, of which the name is the file's if it has none.

    Raises InputError if there is no map, or if it is of a later version, damaged, or not permitted to be read.

    >>> write_bone_map(folder / "hero.json", BoneMap((("Hips", "pelvis"),)))
    >>> read_bone_map(folder / "hero.json")
    BoneMap(pairs=(('Hips', 'pelvis'),), name='hero', source='', target='')
    """
    try:
        values = parse_json_file(path, f'map "{path.name}"')
        version = values.get("version") if isinstance(values, dict) and values.get("format") == FORMAT else None
        if type(version) is not int or version < 1:
            raise InputError(f'"{path.name}" is no bone map; choose a file that Save Map wrote.')
        if version > VERSION:
            raise InputError(f'The map "{path.name}" was made by a newer GenMM; update GenMM to use it.')
        known = {field.name: values[field.name] for field in fields(BoneMap) if field.name in values}
        known["pairs"] = _without_nulls(known.get("pairs"))
        known["name"] = known.get("name") or path.stem
        return read_record(BoneMap, known, f'map "{path.name}"')
    except Malformed as error:
        raise InputError(f"{error}; choose another file, or save the map again.") from error
    except OSError as error:
        raise InputError(f'The map "{path}" cannot be read: {error.strerror or error}; choose another file.') from error


def write_bone_map(path: Path, bone_map: BoneMap) -> None:
    """Write a map as a file of JSON that is easily edited, a pair a line.

    Raises InputError if it cannot be written, and for a name that is not Unicode text, as in some old files.

    >>> write_bone_map(folder / "hero.json", BoneMap((("Hips", "pelvis"), ("HatTip", ""))))
    >>> (folder / "hero.json").read_text().splitlines()[-4:]
    ['  ["Hips", "pelvis"],', '  ["HatTip", null]', ' ]', '}']
    """
    for name in (bone_map.name, bone_map.source, bone_map.target, *(bone for pair in bone_map.pairs for bone in pair)):
        readable = name.encode("utf-8", "backslashreplace").decode()
        if readable != name:
            raise InputError(f'The name "{readable}" is not Unicode text and cannot be saved in a map; rename it.')
    head = {
        "format": FORMAT,
        "version": VERSION,
        **{name: getattr(bone_map, name) for name in ("name", "source", "target")},
    }
    lines = [f" {json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}" for key, value in head.items()]
    rows = [f"  {json.dumps([name or None for name in pair], ensure_ascii=False)}" for pair in bone_map.pairs]
    text = "{\n" + ",\n".join([*lines, ' "pairs": [\n' + ",\n".join(rows) + "\n ]"]) + "\n}\n"
    try:
        with whole_file(path) as unfinished:
            unfinished.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(
            f'The map "{path}" cannot be written: {error.strerror or error}; choose another place.'
        ) from error


def _without_nulls(pairs: Any) -> Any:
    """Return the pairs with an empty name where a bone has no counterpart."""
    if not isinstance(pairs, list):
        return pairs
    return [["" if name is None else name for name in pair] if isinstance(pair, list) else pair for pair in pairs]


def _check_order(pairs: Sequence[tuple[str, str]], source: Skeleton, target: Skeleton, title: str) -> None:
    """Raise InputError if the counterpart of a joint lies above that of a joint above it."""
    places = [{name: joint for joint, name in enumerate(skeleton.names)} for skeleton in (source, target)]
    table = {places[0][one]: places[1][other] for one, other in pairs if one and other}
    for joint, counterpart in table.items():
        for above in source.chain(joint)[:-1]:
            if above in table and counterpart in target.chain(table[above])[:-1]:
                names = source.names[above], source.names[joint]
                raise InputError(
                    f'The {title} is cyclic: "{names[1]}" is below "{names[0]}", and its counterpart '
                    f'"{target.names[counterpart]}" above "{target.names[table[above]]}"; exchange the two.'
                )
