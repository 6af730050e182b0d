# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings of the method: the paper's parameters, and the treatment of the root.

Each field declares everything that is shown of it; CONTRIBUTING.md explains how to add one.
"""

from dataclasses import dataclass
from enum import Enum

from .errors import InputError
from .fields.conversions import BoneWeights, ChosenBones, OrNone, Switched
from .fields.declaration import Choice, Option, Property, setting, settle_settings
from .fields.values import items, number, optional, pairs, text

LARGEST_WEIGHT = 1000.0
"""Largest factor by which a joint's own weight may be multiplied."""


class Facing(Enum):
    """Treatments of the heading: with KEEP, patches in different directions differ; with FREE, they are equal."""

    AUTO = "AUTO"
    """FREE if the example travels or ends turned away from its beginning, KEEP otherwise."""
    KEEP = "KEEP"
    """The root's rotation stays absolute, as in the paper, like a dance that faces its audience."""
    FREE = "FREE"
    """The heading is removed, so that a walk may turn anywhere."""


def _number_or_off(written: str, flag: str) -> float | None:
    return None if written == "off" else _number(written, flag)


def _weights(written: list[str], flag: str) -> tuple[tuple[str, float], ...]:
    found = []
    for entry in written:
        name, separator, factor = entry.rpartition("=")
        if not separator or not name:
            raise InputError(f'"{entry}" is not a weight; write the bone and its factor as Hips=2.')
        found.append((name, _number(factor, flag)))
    return tuple(found)


def _number(written: str, flag: str) -> float:
    try:
        return float(written)
    except ValueError as error:
        raise InputError(f'"{written}" is not a number; correct {flag}.') from error


def _names(written: list[str], _flag: str) -> tuple[str, ...]:
    return tuple(written)


FACINGS = (
    Choice(
        "AUTO",
        "Automatic",
        "Free where the examples travel, or end turned away from their beginning; kept where they stay in place",
        Facing.AUTO,
        "auto",
    ),
    Choice(
        "KEEP",
        "Keep",
        "The character faces the way it does in the examples, as a dance faces its audience",
        Facing.KEEP,
        "keep",
    ),
    Choice("FREE", "Free", "The character may turn anywhere, as in a walk", Facing.FREE, "free"),
)
CONTACTS = (
    Choice("AUTO", "Automatic", "On where the examples travel", None, "auto"),
    Choice("ON", "On", "Standing feet are matched with standing feet", True, "on"),
    Choice("OFF", "Off", "Poses are compared without regard to what the feet stand on", False, "off"),
)
FEET = (
    Choice("AUTO", "Automatic", "Find the feet from how the examples move"),
    Choice("CHOSEN", "Chosen Bones", "The bones in the list stand on the ground; while it is empty, none does"),
)


@dataclass(frozen=True)
class Settings:
    """Parameters of the synthesis, with the paper's symbols and defaults (section 4, Implementation Details).

    patch_frames: p, number of frames in a patch.
    coarsest_patches: K, length of the example in patches at the coarsest stage, which has K * p frames.
    pyramid_factor: r, number of frames of each stage as a share of the next finer one's (0 < r < 1).
    completeness: alpha; smaller values bring in more of the example; None is 'off', plain nearest patches.
    iterations: E, rounds of matching and blending per stage.
    noise: strength of each seed's own preferences for transitions; the paper's sigma, the deviation of noise in the
        initial motion.
    facing: see Facing.
    root: joint that carries the character's travel; None finds it.
    feet: joints that stand; None finds them, and an empty tuple switches off everything about feet.
    foot_locking: True to hold planted feet in place by inverse kinematics.
    contact_features: True to match contacts as well (paper, section 3.1); None: True if the example travels.
    parts_in_step: True for parts that keep the phase of the root's part if the examples travel.
    joint_weights: pairs of a joint's name and the factor of its own weight; all other joints have a factor of one.

    Raises InputError for invalid values.
    """

    patch_frames: int = setting(
        11,
        "Snippet Length",
        "Frames of the snippets of motion (the paper's patches, p) that are compared and taken as a whole: longer ones "
        "stay closer to the examples, shorter ones allow more variation",
        minimum=1,
        soft_maximum=60,
        unit="frame",
        option=Option("--patch-size", "patch length in frames", "P"),
        preset=True,
    )
    coarsest_patches: float = setting(
        4.0,
        "Reorder",
        "Freedom to put the examples into another order: less keeps their order, more mixes them. The synthesis "
        "starts with the examples reduced to so many snippets (K)",
        minimum=1.0,
        soft_maximum=20.0,
        option=Option("--coarsest-patches", "number of patches at the coarsest stage", "K"),
        preset=True,
    )
    pyramid_factor: float = setting(
        0.75,
        "Pyramid Factor",
        "Length of each coarser stage, as a share of the next finer one (r)",
        minimum=0.1,
        maximum=0.95,
        option=Option("--pyramid-factor", "ratio of frames between stages", "R"),
        preset=True,
    )
    completeness: float | None = setting(
        0.01,
        "Completeness Alpha",
        "Completeness of the paper (alpha): smaller values bring in more parts of the examples",
        minimum=0.0,
        above=True,
        soft_minimum=0.0001,
        soft_maximum=1.0,
        precision=4,
        step=0.1,
        beside=(
            Property(
                "Use Coverage",
                "Prefer what the result does not show yet, so that every part of the examples appears",
                "use_completeness",
                True,
            ),
        ),
        conversion=Switched(),
        option=Option(
            "--completeness",
            "completeness; smaller values show more of the examples; off",
            "ALPHA",
            read=_number_or_off,
        ),
        preset=True,
    )
    iterations: int = setting(
        5,
        "Iterations",
        "Number of times the motion is matched and blended at each stage (E)",
        minimum=1,
        soft_maximum=20,
        option=Option("--iterations", "iterations per stage", "E"),
        preset=True,
    )
    noise: float = setting(
        1.0,
        "Variety",
        "Difference between seeds in where they go from one place of the examples to another (sigma): more brings "
        "in rarer transitions, some of which show; more or longer examples help first, then mirrored ones",
        minimum=0.0,
        maximum=100.0,
        soft_maximum=5.0,
        option=Option("--noise", "how much seeds differ"),
        preset=True,
    )
    facing: Facing = setting(
        Facing.AUTO,
        "Facing",
        "Freedom of the character to face other directions than in the examples",
        choices=FACINGS,
        option=Option("--facing", "facing of the root: auto, keep or free", "HOW"),
        preset=True,
    )
    root: str | None = setting(
        None,
        "Root Bone",
        "The bone that carries the character through the world; empty finds it",
        name="root_bone",
        conversion=OrNone(),
        option=Option("--root", "the root: the bone that moves over the ground", "BONE"),
    )
    feet: tuple[str, ...] | None = setting(
        None,
        "Chosen Feet",
        "The bones that stand on the ground",
        rows="feet",
        beside=(
            Property("Feet", "The choice of the bones that stand on the ground", "feet_choice", "AUTO", choices=FEET),
        ),
        conversion=ChosenBones(),
        option=Option("--feet", "the foot bones; without names, no feet", "BONE", several="each", read=_names),
        take=optional(items(text, "a list of joint names")),
    )
    foot_locking: bool = setting(
        True,
        "Foot Locking",
        "Hold a planted foot in its place, by bending the leg above it",
        option=Option("--no-foot-locking", "disable foot locking"),
        preset=True,
        since=2,
        before=False,
    )
    contact_features: bool | None = setting(
        None,
        "Match Foot Contacts",
        "Compare poses also by which feet stand on the ground",
        choices=CONTACTS,
        option=Option("--contacts", "match foot contacts: auto, on or off", "HOW"),
        preset=True,
        since=2,
        before=False,
    )
    parts_in_step: bool = setting(
        True,
        "Parts in Step",
        "Keep parts in phase with the one that has the root where the examples travel, as arms are with the legs; "
        "otherwise each is timed by itself",
        option=Option("--parts-free", "let parts move out of phase"),
        preset=True,
        panel="advanced",
        since=3,
        before=False,
    )
    joint_weights: tuple[tuple[str, float], ...] = setting(
        (),
        "BoneWeights",
        "The bones that count more or less than by what they move",
        rows="joint_weights",
        conversion=BoneWeights(),
        option=Option("--weight", "weight of a bone in comparisons of poses", "BONE=X", several="again", read=_weights),
        take=pairs(text, number, "pairs of a joint's name and its weight"),
    )

    def __post_init__(self) -> None:
        settle_settings(self)
        for name, weight in self.joint_weights:
            if not 0 <= weight <= LARGEST_WEIGHT:
                raise InputError(f"The weight of '{name}' must lie between 0 and {LARGEST_WEIGHT:g}.")
