# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints of two skeletons matched by name, whatever the prefixes and the spelling of the sides."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

SYNONYMS: tuple[tuple[str, ...], ...] = (
    ("hips", "hip", "pelvis", "root hips"),
    ("spine", "lowerback", "lower back", "spine base", "waist"),
    ("chest", "upperchest", "upper chest", "torso", "thorax"),
    ("neck",),
    ("head",),
    ("shoulder", "clavicle", "collar", "collarbone"),
    ("upperarm", "upper arm", "arm", "uparm", "humerus"),
    ("forearm", "lowerarm", "lower arm", "fore arm", "elbow", "radius"),
    ("hand", "wrist", "palm"),
    ("thigh", "upleg", "up leg", "upperleg", "upper leg", "femur"),
    ("shin", "calf", "leg", "lowerleg", "lower leg", "knee", "tibia"),
    ("foot", "ankle"),
    ("toe", "toebase", "toe base", "toes", "ball"),
)
"""Names that mean the same joint; the first stands for all."""
TRUNK = ("spine", "chest")
"""Names of joints between hips and neck, of which there may be any number."""
PREFIXES = re.compile(r"^(mixamorig\d*|bip\d*|cc base|def|org|mch|ctrl|rig|armature|character\d*|j bip)(?= )")
MECHANISM = re.compile(r"^(def|org|mch)[-_ ]", re.IGNORECASE)
"""Bones of a control rig that its own constraints move: beside a control of the same meaning, keys do nothing there."""
FORWARD = "fk"
"""The word of controls that are turned themselves (forward kinematics), as against targets of inverse kinematics."""
RIGIFY_HIPS, RIGIFY_PELVIS = "torso", "spine_fk"
"""Rigify's control that carries the whole body, and the lowest of its spine, which turns the pelvis alone."""
WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
SIDES = {"l": "L", "left": "L", "lft": "L", "r": "R", "right": "R", "rgt": "R"}


@dataclass(frozen=True)
class Meaning:
    """A joint's name understood: the usual name, or its own where none is known, and the side ("L", "R", "")."""

    name: str
    side: str


def meaning_of(name: str) -> Meaning:
    """Return the meaning of a joint's name, its namespace and prefixes left out."""
    words = " ".join(WORDS.findall(re.split(r"[:|]", name)[-1])).lower()
    words = PREFIXES.sub("", words).strip()
    parts = words.split()
    sides = [SIDES[word] for word in parts if word in SIDES]
    numbers = [word for word in parts if word.isdigit()]
    rest = [word for word in parts if word not in SIDES and not word.isdigit() and word != FORWARD]
    # Some write the side without a gap: "lhand" is a hand, "leg" is not an "eg".
    if not sides and rest and rest[0][:1] in "lr" and _usual(" ".join((rest[0][1:], *rest[1:]))):
        sides, rest = [rest[0][0].upper()], [rest[0][1:], *rest[1:]]
    bare = " ".join(rest)
    # Fingers and the like are told apart by their numbers.
    usual = _usual(bare) or " ".join((bare, *numbers[-1:])).strip()
    return Meaning(usual, sides[0] if sides else "")


def match_names(sources: Sequence[str], targets: Sequence[str]) -> dict[str, str]:
    """Return for each source joint the target joint that moves the same, where one is found; each target once.

    Exact names first, then those that mean the same, in the order of the skeletons; the joints of the trunk are spread
    over each other. A left joint never goes to a right one.

    >>> match_names(["Hips", "LeftLeg"], ["pelvis", "leg.L"])
    {'Hips': 'pelvis', 'LeftLeg': 'leg.L'}
    """
    rigify = {RIGIFY_HIPS, RIGIFY_PELVIS}
    is_onto_rigify = rigify <= set(targets) and not rigify <= set(sources)
    # Rigify has hips and a chest as well, which sway a body that the torso carries.
    others = {name for name in targets if is_onto_rigify and _usual(name) in ("hips", *TRUNK)}
    pairs = {name: name for name in sources if name in set(targets) - others}
    wanting = _by_meaning([name for name in sources if name not in pairs])
    free = _by_meaning([name for name in targets if name not in pairs])
    if is_onto_rigify:
        free["hips", ""] = [RIGIFY_HIPS]
        free["trunk", ""] = [name for name in free.get(("trunk", ""), []) if name not in (RIGIFY_HIPS, RIGIFY_PELVIS)]
    for meaning, names in wanting.items():
        pairs |= _spread(names, controls_of(free.get(meaning, []))) if meaning[0] else {}
    return pairs


def controls_of(names: Sequence[str]) -> list[str]:
    """Return of joints that mean the same those to key: controls that turn, else those that no constraint moves.

    >>> controls_of(["ORG-thigh.L", "thigh_fk.L", "DEF-thigh.L"])
    ['thigh_fk.L']
    """
    free = [name for name in names if not MECHANISM.match(name)]
    forward = [name for name in free if FORWARD in WORDS.findall(name.lower())]
    return forward or free or list(names)


def _by_meaning(names: Sequence[str]) -> dict[tuple[str, str], list[str]]:
    """Return the names under what they mean, in their order."""
    meanings = {name: meaning_of(name) for name in names}
    meant = {(meaning.name, meaning.side) for meaning in meanings.values()}
    found: dict[tuple[str, str], list[str]] = {}
    for name, meaning in meanings.items():
        usual = meaning.name
        if usual == "hips" and meaning.side:
            usual = "thigh"
        if usual == "shoulder" and ("upperarm", meaning.side) not in meant and "shoulder" in name.lower():
            # Beside a collar bone, with no upper arm, the shoulder is where the arm begins.
            beside = [one for one in names if one != name and meanings[one].side == meaning.side]
            usual = "upperarm" if any(meanings[one].name == "shoulder" for one in beside) else usual
        found.setdefault(("trunk" if usual in TRUNK else usual, meaning.side), []).append(name)
    return found


def _spread(names: Sequence[str], targets: Sequence[str]) -> dict[str, str]:
    """Return names to targets, both in order: the first to the first and the last to the last."""
    count = min(len(names), len(targets))
    if not count:
        return {}

    def chosen(among: Sequence[str]) -> list[str]:
        if count == 1:
            return [among[0]]
        return [among[round(place * (len(among) - 1) / (count - 1))] for place in range(count)]

    return dict(zip(chosen(names), chosen(targets), strict=True))


def _usual(words: str) -> str:
    """Return the usual name of a joint; nothing for one that is unknown."""
    joined = words.replace(" ", "")
    return next((names[0] for names in SYNONYMS if joined in {name.replace(" ", "") for name in names}), "")
