# SPDX-License-Identifier: GPL-3.0-or-later
"""Matching of two skeletons' joints by name, for any prefixes and spellings of the sides."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product

from .bone_words import BARE, LETTERS, PART_WORDS, REGIONS, SHOULDER, SIDES, USUAL, WHOLE_LIMBS

ARM = ("upperarm", "forearm", "hand")
LEG = ("thigh", "shin", "foot", "toe")
LIMBS = (*ARM, *LEG[:3])
TRUNK = ("spine", "chest")
"""Names of joints between hips and neck, of which there may be any number."""
LAYERS = re.compile(r"^(def|org|mch|ctrl)(?= )")
"""Prefixes of control rigs, which have the same bone with several of them."""
MECHANISM = re.compile(r"^(def|org|mch)[-_ ]", re.IGNORECASE)
"""Prefixes of bones that a control rig's own constraints move, so that keys on them have no effect."""
FORWARD = "fk"
"""Word in the names of controls that are rotated directly (forward kinematics), unlike targets of inverse kinematics.
"""
RIGIFY_HIPS, RIGIFY_SWAYING = "torso", ("hips", "chest", "spine_fk")
"""Rigify's control that carries the whole body, and those that sway its halves; the lowest of the spine turns only
the pelvis."""
BESIDE_FORWARD = frozenset(("ik", "tweak"))
"""Words in the names of controls that do not turn the joints of forward kinematics."""
WORDS = re.compile(r"[LR](?=[A-Z][A-Z][a-z])|[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[左右]|[^\W\da-zA-Z_左右]+")
NUMBER = re.compile(r"[-_. ]*\d+")
ASIDE = re.compile(r"[\[(].*?[\])]")
"""Another name of the same bone, in brackets after it."""


@dataclass(frozen=True)
class Meaning:
    """Meaning of a joint's name: the usual name, or its own if none is known, and the side ("L", "R", "")."""

    name: str
    side: str


WHOLE = frozenset((Meaning("head", ""), *(Meaning(limb, side) for limb in LIMBS for side in "LR")))
"""Meanings in the names of a whole human."""
Words = tuple[str, ...]


def meanings_by_name(names: Iterable[str]) -> Mapping[str, Meaning]:
    """Return the meanings of all names of one skeleton, without namespaces and the words that most of them share.

    >>> meanings_by_name(["hero_l_arm_jnt", "hero_head_jnt"])["hero_l_arm_jnt"]
    Meaning(name='upperarm', side='L')
    """
    return _meanings_by_name(tuple(names))


# Each step of a transfer asks for the same skeleton's.
@lru_cache
def _meanings_by_name(names: tuple[str, ...]) -> Mapping[str, Meaning]:
    spelled = {name: _words(name) for name in names}
    affixes = _shared_affixes(spelled.values())
    inner = {name: (_without(words, *affixes), sides) for name, (words, sides) in spelled.items()}
    meanings = {name: _meaning(words, sides) for name, (words, sides) in inner.items()}
    chains: dict[tuple[Words, str], dict[str, Words]] = {}
    for name, (words, _) in inner.items():
        limb = tuple(word for word in words if not word.isdigit() and word not in BARE)
        if limb in WHOLE_LIMBS:
            chains.setdefault((limb, meanings[name].side), {})[name] = words
    # Of three or more numbered bones of an arm, the number does not tell which is the upper arm.
    for (_, side), chain in chains.items():
        if len({*chain.values()}) >= 3:
            meanings |= {name: Meaning(" ".join(words), side) for name, words in chain.items()}
    return meanings


def _words(name: str) -> tuple[Words, Words]:
    """Return a name's words without namespace and sides, and the words for its sides, both in lower case."""
    name = re.split(r"[:|]", name)[-1]
    words = LAYERS.sub("", " ".join(WORDS.findall(ASIDE.sub("", name) or name)).lower()).split()
    others = tuple(word for word in words if word not in SIDES and word != FORWARD)
    return others, tuple(word for word in words if word in SIDES)


def _shared_affixes(names: Collection[tuple[Words, Words]]) -> tuple[Words, Words]:
    """Return the words before and after names without which most joints are understood; none if that is no gain.

    Most names share them, and no word for a part of a body is among them. Others, such as the hand in "hand_l_foot",
    are such words only where the rest gives a whole human.
    """

    def understood(prefix: Words, suffix: Words) -> set[Meaning]:
        meanings = {_meaning(_without(words, prefix, suffix), sides) for words, sides in names}
        return {meaning for meaning in meanings if meaning.name in USUAL}

    known = understood((), ())
    if known >= WHOLE or len(names) < 2:
        return (), ()
    # Names in Blender have 63 characters, so that no affix has more words; those of files may be far longer.
    most = 32
    counts = (
        Counter(words[:end] for words, _ in names for end in range(min(len(words), most))),
        Counter(words[start:] for words, _ in names for start in range(max(len(words) - most, 1), len(words) + 1)),
    )
    # Hair and the like may outnumber a body's bones.
    common = [[affix for affix, count in each.items() if 4 * count > len(names)] for each in counts]
    best: tuple[tuple[int, int], tuple[Words, Words]] = (len(known), 0), ((), ())
    for prefix, suffix in product(*common):
        found = understood(prefix, suffix)
        is_shared = 2 * min(counts[0][prefix], counts[1][suffix]) > len(names)
        is_allowed = found >= WHOLE or (is_shared and not PART_WORDS & {*prefix, *suffix})
        if is_allowed and len(found) > len(known):
            best = max(best, ((len(found), len(prefix + suffix)), (prefix, suffix)))
    return best[1]


def _without(words: Words, prefix: Words, suffix: Words) -> Words:
    """Return words without those before and after them, of which one at least is left."""
    if len(words) > len(prefix) and words[: len(prefix)] == prefix:
        words = words[len(prefix) :]
    rest = len(words) - len(suffix)
    return words[:rest] if rest > 0 and words[rest:] == suffix else words


def _meaning(words: Words, sides: Words) -> Meaning:
    numbers = [word for word in words if word.isdigit() or word == words[-1] in LETTERS]
    named = [word for word in words if word not in numbers]
    remaining = [word for word in named if word not in BARE] or named
    # Some names have the side without a gap: "lhand" is a hand, but "leg" is not an "eg".
    if not sides and remaining and remaining[0][:1] in "lr" and _usual(remaining[0][1:], *remaining[1:]):
        sides, remaining = (remaining[0][0],), [remaining[0][1:], *remaining[1:]]
    # Fingers and the like are distinguished by their numbers.
    usual = _usual(*remaining) or " ".join((*remaining, *numbers))
    return Meaning(usual, next(filter(None, (SIDES[side] for side in sides)), ""))


def match_names(
    sources: Sequence[str],
    targets: Sequence[str],
    *,
    without: tuple[Collection[str], Collection[str]] = ((), ()),
) -> dict[str, str]:
    """Return the target joint of each source joint that has a counterpart; each target occurs once.

    Equal names are matched first, then names of the same meaning, in the order of the skeletons. Joints of the trunk
    are spread over each other. A left joint is never matched to a right one. without: names of both that only help to
    read the others.

    >>> match_names(["Hips", "LeftLeg"], ["pelvis", "leg.L"])
    {'Hips': 'pelvis', 'LeftLeg': 'leg.L'}
    """
    meanings, meanings_there = meanings_by_name(sources), meanings_by_name(targets)
    sources, targets = (
        [name for name in names if name not in left_out]
        for names, left_out in zip((sources, targets), without, strict=True)
    )
    swaying, swaying_there = set(swaying_controls(sources)), set(swaying_controls(targets))
    pairs = {name: name for name in sources if name in set(targets) - (swaying ^ swaying_there)}
    wanting = names_by_meaning({name: meanings[name] for name in sources if name not in pairs}, swaying)
    free = names_by_meaning({name: meanings_there[name] for name in targets if name not in pairs}, swaying_there)
    for meaning, names in wanting.items():
        pairs |= spread(controls_of(names), controls_of(free.get(meaning, []))) if meaning[0] else {}
    return pairs


def numbered_names(names: Sequence[str]) -> set[str]:
    """Return names that most of a skeleton's share but for their numbers, which tell nothing of its joints.

    >>> sorted(numbered_names(["Bone", "Bone.001", "Bone.002", "Hand"]))
    ['Bone.001', 'Bone.002']
    """
    bare = {name: NUMBER.sub("", name) for name in names}
    counts = Counter(bare.values())
    return {name for name in names if 2 * counts[bare[name]] > len(names) and bare[name] != name}


def swaying_controls(names: Sequence[str]) -> list[str]:
    """Return Rigify's controls of hips, chest and a human's pelvis, which only sway a body that the torso carries.

    >>> swaying_controls(["torso", "hips", "chest", "spine_fk"])
    ['hips', 'chest', 'spine_fk']
    """
    return [name for name in names if name in RIGIFY_SWAYING and {RIGIFY_HIPS, *RIGIFY_SWAYING[:2]} <= {*names}]


def driven_joints(names: Sequence[str]) -> list[str]:
    """Return the names of joints that turn no limb beside forward kinematics: of mechanism, inverse kinematics, and
    controls that stretch or sway; none without forward kinematics.

    >>> driven_joints(["thigh_fk.L", "thigh_ik.L", "thigh_tweak.L", "MCH-foot_ik.L"])
    ['thigh_ik.L', 'thigh_tweak.L', 'MCH-foot_ik.L']
    """
    words = {name: WORDS.findall(name.lower()) for name in names}
    if not any(FORWARD in found for found in words.values()):
        return []
    swaying = swaying_controls(names)
    return [
        name
        for name, found in words.items()
        if MECHANISM.match(name) or not BESIDE_FORWARD.isdisjoint(found) or name in swaying
    ]


def controls_of(names: Sequence[str]) -> list[str]:
    """Return the joints to key among joints of one meaning: controls that turn, else joints that no constraint moves.

    >>> controls_of(["ORG-thigh.L", "thigh_fk.L", "DEF-thigh.L"])
    ['thigh_fk.L']
    """
    free = [name for name in names if not MECHANISM.match(name)]
    forward = [name for name in free if FORWARD in WORDS.findall(name.lower())]
    return forward or free or list(names)


def spread(names: Sequence[str], targets: Sequence[str]) -> dict[str, str]:
    """Return a target for each name, both in order, the first for the first and the last for the last.

    >>> spread(["waist", "chest"], ["spine1", "spine2", "spine3"])
    {'waist': 'spine1', 'chest': 'spine3'}
    """
    count = min(len(names), len(targets))
    if not count:
        return {}

    def chosen(among: Sequence[str]) -> list[str]:
        if count == 1:
            return [among[0]]
        return [among[round(place * (len(among) - 1) / (count - 1))] for place in range(count)]

    return dict(zip(chosen(names), chosen(targets), strict=True))


def names_by_meaning(meanings: Mapping[str, Meaning], swaying: Collection[str]) -> dict[tuple[str, str], list[str]]:
    """Return the names by their meanings and sides, in order, without Rigify's swaying controls.

    >>> names_by_meaning(meanings_by_name(["Hips", "LeftUpLeg", "LeftLeg"]), [])
    {('hips', ''): ['Hips'], ('thigh', 'L'): ['LeftUpLeg'], ('shin', 'L'): ['LeftLeg']}
    """
    meanings = {name: meaning for name, meaning in meanings.items() if name not in swaying}
    if swaying and RIGIFY_HIPS in meanings:
        meanings[RIGIFY_HIPS] = Meaning("hips", "")
    of_meaning: dict[Meaning, list[str]] = {}
    for name, meaning in meanings.items():
        of_meaning.setdefault(meaning, []).append(name)
    meant = {(meaning.name, meaning.side) for meaning in of_meaning}
    by_meaning: dict[tuple[str, str], list[str]] = {}
    for name, meaning in meanings.items():
        usual = meaning.name
        if usual == "hips" and meaning.side and ("thigh", meaning.side) not in meant:
            usual = "thigh"
        said, side = name.lower(), meaning.side
        beside = [own.lower() for own in of_meaning[meaning] if own != name]
        if beside and usual in ("shoulder", "upperarm") and SHOULDER.search(said):
            # A shoulder is the first joint of an arm beside a collar bone, and a collar bone beside an upper arm.
            usual = "upperarm" if usual == "shoulder" and ("upperarm", side) not in meant else "shoulder"
        if (
            usual == "shin"
            and ("thigh", side) not in meant
            and "leg" in said
            and any("leg" not in own for own in beside)
        ):
            usual = "thigh"  # above a knee
        if usual == "foot" and ("toe", side) not in meant and "foot" in said and any("ankle" in own for own in beside):
            usual = "toe"  # below an ankle
        by_meaning.setdefault(("trunk" if usual in TRUNK else usual, meaning.side), []).append(name)
    return by_meaning


def _usual(*words: str) -> str:
    """Return the usual name of a joint; an empty text if it is unknown."""
    usual = USUAL.get("".join(words), "")
    return USUAL.get("".join(words[1:]), "") if not usual and words and words[0] in REGIONS else usual
