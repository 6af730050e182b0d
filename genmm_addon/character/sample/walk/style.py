# SPDX-License-Identifier: GPL-3.0-or-later
"""Styles of the walk: the numbers by which walkers differ, and three sets of them.

The numbers of the styles are chosen by eye, in the direction that studies of gait report: a low mood goes with a slower
walk, less swing of the arms, less motion up and down, more to the sides, and a slumped trunk (Michalak et al. 2009,
*Embodiment of Sadness and Depression: Gait Patterns Associated With Dysphoric Mood*).
"""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Winding:
    """A path's heading in degrees to the left: `bearing` plus a sum of sines of the distance.

    waves: amplitude in degrees, wavelength in meters, and phase in radians of each sine.
    """

    bearing: float = -6.0
    waves: tuple[tuple[float, float, float], ...] = ((32.0, 13.5, 0.0), (11.0, 5.9, 0.6))


@dataclass(frozen=True)
class Stepping:
    """Numbers of the feet: times in seconds, lengths in meters, angles in degrees.

    step_seconds, step_length: from the strike of one heel to the strike of the other.
    half_width: from the path to the middle of each foot. toe_out: outward angle of a foot.
    strike, push: angles by which the toes point up when the heel strikes, and down when they leave the ground.
    lift: height of a swinging ankle in addition to that from the foot's rolling.
    flat, heel_off, off: times at which a foot stands flat, lifts its heel and leaves, as shares of the time between
    its strikes.
    """

    step_seconds: float = 0.55
    step_length: float = 0.62
    half_width: float = 0.048
    toe_out: float = 6.0
    strike: float = 17.0
    push: float = 58.0
    lift: float = 0.04
    flat: float = 0.11
    heel_off: float = 0.33
    off: float = 0.60

    @property
    def speed(self) -> float:
        """Return the mean speed in meters per second."""
        return self.step_length / self.step_seconds


@dataclass(frozen=True)
class TrunkStyle:
    """Numbers of hips, chest and head: lengths in meters, angles in degrees; pitch is forward.

    hips_ahead: distance in front of the middle between the footholds when a heel strikes.
    crouch: mean height of the hips below their rest. bounce, sway: amplitudes of their vertical and sideways motion.
    hips_turn, chest_turn: amplitudes of the pelvis turning with the leading leg, and of the chest turning against it.
    hips_drop: amplitude of the pelvis dropping on the swinging leg's side. chest_roll: of the chest's roll against it.
    head_nod: amplitude of the head's nod with each step. glance: of its occasional looks aside.
    """

    hips_ahead: float = 0.03
    crouch: float = 0.017
    bounce: float = 0.015
    sway: float = 0.019
    hips_pitch: float = 4.0
    hips_turn: float = 5.0
    hips_drop: float = 3.6
    chest_pitch: float = 3.0
    chest_turn: float = 5.5
    chest_roll: float = 1.3
    head_pitch: float = 1.5
    head_nod: float = 0.5
    glance: float = 7.0


@dataclass(frozen=True)
class ArmSwing:
    """Angles of the arms relative to the chest, in degrees.

    rest: mean of the upper arm forward. swing: amplitude of its motion forward and back.
    elbow, elbow_swing: mean and amplitude of the elbow's bend. wrist: mean of the hand towards its palm.
    abduction: of the upper arm away from the body. inward: of the forearm towards the middle.
    shoulder, shoulder_drop: of the collar bone, forward and downward.
    """

    rest: float = -2.0
    swing: float = 20.0
    elbow: float = 19.0
    elbow_swing: float = 11.0
    wrist: float = 5.0
    abduction: float = 9.0
    inward: float = 7.0
    shoulder: float = 0.0
    shoulder_drop: float = 0.0


@dataclass(frozen=True)
class WalkStyle:
    """A style of walking; the defaults are neutral."""

    stepping: Stepping = field(default_factory=Stepping)
    trunk: TrunkStyle = field(default_factory=TrunkStyle)
    arms: ArmSwing = field(default_factory=ArmSwing)
    path: Winding = field(default_factory=Winding)


NEUTRAL = WalkStyle()
TIRED = WalkStyle(
    Stepping(
        step_seconds=0.70,
        step_length=0.40,
        half_width=0.062,
        toe_out=9.0,
        strike=9.0,
        push=32.0,
        lift=0.024,
        flat=0.09,
        heel_off=0.40,
        off=0.64,
    ),
    TrunkStyle(
        hips_ahead=0.005,
        crouch=0.036,
        bounce=0.010,
        sway=0.027,
        hips_pitch=8.0,
        hips_turn=3.0,
        hips_drop=4.4,
        chest_pitch=25.0,
        chest_turn=3.0,
        chest_roll=3.0,
        head_pitch=27.0,
        head_nod=1.8,
        glance=4.0,
    ),
    ArmSwing(
        rest=19.0,
        swing=7.0,
        elbow=12.0,
        elbow_swing=4.0,
        wrist=9.0,
        abduction=7.0,
        inward=12.0,
        shoulder=9.0,
        shoulder_drop=7.0,
    ),
    Winding(bearing=8.0, waves=((-30.0, 9.0, 0.0), (9.0, 3.7, 0.9))),
)
"""Slow and stooped: short steps, feet low over the ground, hanging arms."""
PROUD = WalkStyle(
    Stepping(
        step_seconds=0.55,
        step_length=0.69,
        half_width=0.042,
        toe_out=8.0,
        strike=21.0,
        push=59.0,
        lift=0.065,
        flat=0.12,
        heel_off=0.34,
        off=0.575,
    ),
    TrunkStyle(
        hips_ahead=0.03,
        crouch=0.028,
        bounce=0.024,
        sway=0.015,
        hips_pitch=1.0,
        hips_turn=7.0,
        hips_drop=3.0,
        chest_pitch=-9.0,
        chest_turn=8.0,
        chest_roll=2.0,
        head_pitch=-4.0,
        head_nod=0.8,
        glance=5.0,
    ),
    ArmSwing(
        rest=-11.0,
        swing=28.0,
        elbow=21.0,
        elbow_swing=13.0,
        wrist=2.0,
        abduction=13.0,
        inward=6.0,
        shoulder=-7.0,
        shoulder_drop=-3.0,
    ),
    Winding(bearing=4.0, waves=((-28.0, 15.0, 0.4), (9.0, 6.7, 2.0))),
)
"""Upright, with the chest out: long steps, high knees, wide arm swings."""
