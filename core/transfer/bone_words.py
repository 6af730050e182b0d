# SPDX-License-Identifier: GPL-3.0-or-later
"""Vocabulary of bones: words for the parts of a body in the names that tools and riggers give, and for its sides."""

import re

SYNONYMS: tuple[tuple[str, ...], ...] = (
    (
        *("hips", "hip", "pelvis", "root hips", "main root", "lower torso", "sacrum", "lower body"),
        *("下半身", "骨盤", "骨盆", "盆骨"),
    ),
    (
        *("spine", "back", "backbone", "spine base", "waist", "abdomen", "ab", "belly", "stomach", "lumbar", "trunk"),
        *("上半身", "背骨", "脊柱", "脊椎"),
    ),
    ("chest", "torso", "thorax", "ribcage", "rib cage", "ribs", "thoracic", "upper body", "胸"),
    ("neck", "cervical", "首", "颈", "颈部", "脖子"),
    ("head", "hd", "skull", "頭", "头", "头部"),
    ("shoulder", "clavicle", "collar", "collarbone", "scapula", "肩", "鎖骨", "锁骨"),
    ("upperarm", "arm", "shldr", "humerus", "bicep", "biceps", "腕", "上腕", "上臂", "大臂"),
    ("forearm", "elbow", "radius", "ulna", "ひじ", "肘", "前腕", "前臂", "小臂"),
    ("hand", "wrist", "palm", "fist", "手首", "手", "手腕", "手掌"),
    ("thigh", "femur", "足", "太もも", "大腿"),
    ("shin", "calf", "leg", "knee", "tibia", "ひざ", "膝", "すね", "小腿"),
    ("foot", "ft", "ankle", "足首", "脚", "脚踝"),
    ("toe", "toebase", "toe base", "toes", "ball", "つま先", "脚趾"),
)
"""Names of the same joint; the first is the usual one."""
UPPER, LOWER = ("upper", "up", "upr", "u"), ("lower", "low", "lwr", "lo", "fore", "f")
"""Words for the two halves of arms and legs, before or after the word for the limb."""
HALVES = (("upperarm", UPPER, "arm"), ("forearm", LOWER, "arm"), ("thigh", UPPER, "leg"), ("shin", LOWER, "leg"))
WHOLE_LIMBS = (("arm",), ("leg",))
"""Words for a limb as well as for one of its bones."""
LEVELS = ("lower", "middle", "mid", "upper", "top", "low", "up")
"""Words for a part of the trunk or the neck, before or after the word for it."""
LEVELED = (
    ("spine", "spine"),
    ("spine", "abdomen"),
    ("spine", "back"),
    ("chest", "chest"),
    ("chest", "torso"),
    ("neck", "neck"),
    ("shin", "knee"),
)
"""Usual names of such parts, and the words for them; a knee may have two bones."""
ABBREVIATED = (
    *("pelvis", "spine", "chest", "neck", "shoulder", "clavicle", "scapula", "humerus", "elbow", "wrist", "hand"),
    *("thigh", "femur", "tibia", "calf", "ankle"),
)
"""Words that are often abbreviated."""
BARE = frozenset(("bend", "stretch"))
"""Words for the half of a bone that turns with all of it."""
REGIONS = frozenset(("arm", "leg", "hand", "foot", "head", "torso", "body"))
"""Words before that for a bone, for the region in which it is, as in arm_humerus."""
LETTERS = frozenset("abde")
"""Letters that number the bones of a chain, as in neckA; the others may tell the side."""
SIDES = {
    word: side
    for side, words in (
        ("L", "l left lft lef le lf lt hidari 左"),
        ("R", "r right rgt rght ri rt migi 右"),
        ("", "c m x cn ctr cen center"),
    )
    for word in words.split()
}
"""Words for the sides, and for the middle."""
SHOULDER = re.compile("sh(ou)?ld|肩")
"""Words of a shoulder, which may be the collar bone or the upper arm, whichever is not there by another name."""


def abbreviations(word: str) -> set[str]:
    """Return the abbreviations of a word: its beginnings of four letters or more, and without later vowels of three.

    >>> sorted(abbreviations("thigh"))
    ['thg', 'thgh', 'thig']
    """
    bare = word[0] + re.sub("[aeiou]", "", word[1:])
    beginnings = {word[:end] for end in range(4, len(word))}
    return beginnings | {bare[:end] for end in range(3, len(bare) + 1)} - {word}


def _usual_names() -> dict[str, str]:
    usual = {name.replace(" ", ""): names[0] for names in SYNONYMS for name in names}
    pairs = [(part, (half, limb)) for part, halves, limb in HALVES for half in halves]
    pairs += [(part, (level, word)) for part, word in LEVELED for level in LEVELS]
    for part, words in pairs:
        for key in ("".join(words), "".join(reversed(words))):
            usual.setdefault(key, part)
    short = {abbreviation: usual[word] for word in ABBREVIATED for abbreviation in abbreviations(word)}
    return short | usual


USUAL = _usual_names()
"""Usual names by the others and their abbreviations, without spaces."""
PART_WORDS = frozenset(word for names in SYNONYMS for name in names for word in name.split()) | {"upper", "lower", "up"}
"""Words in the names of parts of a body."""
