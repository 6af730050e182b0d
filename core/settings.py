# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings of the method: the paper's parameters, and the treatment of the root."""

from dataclasses import dataclass
from enum import Enum

from .errors import InputError
from .values import flag, items, number, one_of, optional, pairs, settle, text, whole_number


class Facing(Enum):
    """Treatments of the heading: with KEEP a patch means something else in each direction, with FREE the same."""

    AUTO = "AUTO"
    """FREE where the example travels, KEEP where it stays."""
    KEEP = "KEEP"
    """The root's rotation stays absolute, as in the paper: a dance faces its audience."""
    FREE = "FREE"
    """The heading is taken out: a walk may turn anywhere."""


@dataclass(frozen=True)
class Settings:
    """Parameters of the synthesis, with the paper's symbols and defaults (section 4, Implementation Details).

    patch_frames: p, frames in a patch.
    coarsest_patches: K, the coarsest stage is K * p frames of the example long.
    pyramid_factor: r, each stage has this share of the next finer one's frames (0 < r < 1).
    completeness: alpha; smaller brings in more of the example; None is 'off', plain nearest patches.
    iterations: E, matching and blending per stage.
    noise: deviation of the noise in the initial path, in the example's own deviations.
    facing: see Facing.
    root: the joint that carries the character's travel; None finds it.
    feet: the joints that stand; None finds them, none at all switches everything about feet off.
    foot_locking: whether planted feet are held in their place by inverse kinematics.
    contact_features: whether contacts are matched as well (paper, section 3.1); None: where the example travels.
    joint_weights: pairs of a joint's name and how many times its own weight it counts; the others count once.
    """

    patch_frames: int = 11
    coarsest_patches: float = 4.0
    pyramid_factor: float = 0.75
    completeness: float | None = 0.01
    iterations: int = 5
    noise: float = 1.0
    facing: Facing = Facing.AUTO
    root: str | None = None
    feet: tuple[str, ...] | None = None
    foot_locking: bool = True
    contact_features: bool | None = None
    joint_weights: tuple[tuple[str, float], ...] = ()

    def __post_init__(self) -> None:
        settle(
            self,
            patch_frames=whole_number,
            coarsest_patches=number,
            pyramid_factor=number,
            completeness=optional(number),
            iterations=whole_number,
            noise=number,
            facing=one_of(Facing),
            root=optional(text),
            feet=optional(items(text, "a list of joint names")),
            foot_locking=flag,
            contact_features=optional(flag),
            joint_weights=pairs(text, number, "pairs of a joint's name and its weight"),
        )
        if self.patch_frames < 1:
            raise InputError("Patch Length must be 1 frame or more.")
        if not self.coarsest_patches >= 1:
            raise InputError("Rearrange (K) must be 1 or more.")
        if not 0.1 <= self.pyramid_factor <= 0.95:
            raise InputError("Pyramid Factor must lie between 0.1 and 0.95.")
        if self.completeness is not None and not self.completeness > 0:
            raise InputError("Completeness (alpha) must be above 0; None switches it off.")
        if self.iterations < 1:
            raise InputError("Iterations must be 1 or more.")
        if not 0 <= self.noise <= 100:
            raise InputError("Variety (noise) must lie between 0 and 100.")
        for name, weight in self.joint_weights:
            if not 0 <= weight <= 1000:
                raise InputError(f"The weight of '{name}' must lie between 0 and 1000.")
