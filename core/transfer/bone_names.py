# SPDX-License-Identifier: GPL-3.0-or-later
"""Matching of two skeletons' joints by name, for any prefixes and spellings of the sides."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

SYNONYMS: tuple[tuple[str, ...], ...] = (
    ("hips", "hip", "pelvis", "root hips"),
    ("spine", "lowerback", "lower back", "spine base", "waist", "上半身"),
    ("chest", "upperchest", "upper chest", "torso", "thorax"),
    ("neck", "neck lower", "lower neck", "首"),
    ("head", "頭"),
    ("shoulder", "clavicle", "collar", "collarbone", "scapula", "肩"),
    ("upperarm", "upper arm", "arm", "uparm", "humerus", "arm stretch", "shldr", "shldr bend", "腕"),
    ("forearm", "lowerarm", "lower arm", "fore arm", "elbow", "radius", "forearm stretch", "forearm bend", "ひじ"),
    ("hand", "wrist", "palm", "fist", "手首"),
    ("thigh", "upleg", "up leg", "upperleg", "upper leg", "femur", "thigh stretch", "thigh bend", "足"),
    ("shin", "calf", "leg", "lowerleg", "lower leg", "knee", "tibia", "leg stretch", "ひざ"),
    ("foot", "ankle", "足首"),
    ("toe", "toebase", "toe base", "toes", "ball", "つま先"),
)
"""Names of the same joint; the first is the usual one."""
TRUNK = ("spine", "chest")
"""Names of joints between hips and neck, of which there may be any number."""
PREFIXES = re.compile(
    r"^(mixamorig\d*|(?:valve biped )?bip\d*|cc base|def|org|mch|ctrl|rig|armature|character\d*|j bip)(?= )"
)
MECHANISM = re.compile(r"^(def|org|mch)[-_ ]", re.IGNORECASE)
"""Prefixes of bones that a control rig's own constraints move, so that keys on them have no effect."""
FORWARD = "fk"
"""Word in the names of controls that are rotated directly (forward kinematics), unlike targets of inverse kinematics.
"""
RIGIFY_HIPS, RIGIFY_SWAYING = "torso", ("hips", "chest", "spine_fk")
"""Rigify's control that carries the whole body, and those that sway its halves; the lowest of the spine turns only
the pelvis."""
WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[左右]|[^\W\da-zA-Z_左右]+")
SIDES = {
    word: side
    for side, words in (("L", "l left lft 左"), ("R", "r right rgt 右"), ("", "c m x"))
    for word in words.split()
}
"""Words for the sides, and for the middle."""


@dataclass(frozen=True)
class Meaning:
    """Meaning of a joint's name: the usual name, or its own if none is known, and the side ("L", "R", "")."""

    name: str
    side: str


def meaning_of(name: str) -> Meaning:
    """Return the meaning of a joint's name without its namespace and prefixes."""
    words = " ".join(WORDS.findall(re.split(r"[:|]", name)[-1])).lower()
    words = PREFIXES.sub("", words).strip()
    parts = words.split()
    sides = [SIDES[word] for word in parts if word in SIDES]
    numbers = [word for word in parts if word.isdigit()]
    remaining = [word for word in parts if word not in SIDES and not word.isdigit() and word != FORWARD]
    # Some names have the side without a gap: "lhand" is a hand, but "leg" is not an "eg".
    if not sides and remaining and remaining[0][:1] in "lr" and _usual(" ".join((remaining[0][1:], *remaining[1:]))):
        sides, remaining = [remaining[0][0].upper()], [remaining[0][1:], *remaining[1:]]
    bare = " ".join(remaining)
    # Fingers and the like are distinguished by their numbers.
    usual = _usual(bare) or " ".join((bare, *numbers[-1:])).strip()
    return Meaning(usual, next(filter(None, sides), ""))


def match_names(sources: Sequence[str], targets: Sequence[str]) -> dict[str, str]:
    """Return the target joint of each source joint that has a counterpart; each target occurs once.

    Equal names are matched first, then names of the same meaning, in the order of the skeletons. Joints of the trunk
    are spread over each other. A left joint is never matched to a right one.

    >>> match_names(["Hips", "LeftLeg"], ["pelvis", "leg.L"])
    {'Hips': 'pelvis', 'LeftLeg': 'leg.L'}
    """
    swaying, swaying_there = set(swaying_controls(sources)), set(swaying_controls(targets))
    pairs = {name: name for name in sources if name in set(targets) - (swaying ^ swaying_there)}
    wanting = names_by_meaning([name for name in sources if name not in pairs], swaying)
    free = names_by_meaning([name for name in targets if name not in pairs], swaying_there)
    for meaning, names in wanting.items():
        pairs |= spread(controls_of(names), controls_of(free.get(meaning, []))) if meaning[0] else {}
    return pairs


def swaying_controls(names: Sequence[str]) -> list[str]:
    """Return Rigify's controls of hips, chest and pelvis, which only sway a body that the torso carries.

    >>> swaying_controls(["torso", "hips", "chest", "spine_fk"])
    ['hips', 'chest', 'spine_fk']
    """
    return [name for name in names if name in RIGIFY_SWAYING and {RIGIFY_HIPS, *RIGIFY_SWAYING} <= {*names}]


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


def names_by_meaning(names: Sequence[str], swaying: Collection[str]) -> dict[tuple[str, str], list[str]]:
    """Return the names by their meanings and sides, in order, without Rigify's swaying controls.

    >>> names_by_meaning(["Hips", "LeftUpLeg", "LeftLeg"], [])
    {('hips', ''): ['Hips'], ('thigh', 'L'): ['LeftUpLeg'], ('shin', 'L'): ['LeftLeg']}
    """
    meanings = {name: meaning_of(name) for name in names if name not in swaying}
    if swaying and RIGIFY_HIPS in meanings:
        meanings[RIGIFY_HIPS] = Meaning("hips", "")
    meant = {(meaning.name, meaning.side) for meaning in meanings.values()}
    by_meaning: dict[tuple[str, str], list[str]] = {}
    for name, meaning in meanings.items():
        usual = meaning.name
        if usual == "hips" and meaning.side and ("thigh", meaning.side) not in meant:
            usual = "thigh"
        if usual == "shoulder" and ("upperarm", meaning.side) not in meant and "shoulder" in name.lower():
            # If there is a collar bone and no upper arm, the shoulder is the first joint of the arm.
            beside = (other for own, other in meanings.items() if own != name and other.side == meaning.side)
            usual = "upperarm" if any(other.name == "shoulder" for other in beside) else usual
        by_meaning.setdefault(("trunk" if usual in TRUNK else usual, meaning.side), []).append(name)
    return by_meaning


def _usual(words: str) -> str:
    """Return the usual name of a joint; an empty text if it is unknown."""
    joined = words.replace(" ", "")
    return next((names[0] for names in SYNONYMS if joined in {name.replace(" ", "") for name in names}), "")
