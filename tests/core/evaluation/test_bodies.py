# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies with weight: their masses, center, support and flights agree with mechanics, in any units and axes."""

from dataclasses import replace

import numpy as np
import pytest
from jumps import GRAVITY, TAKE_OFF, jumper
from motions import (
    BIPED,
    QUADRUPED,
    SIDEWAYS,
    build_skeleton,
    in_other_units,
    place_channels,
    pose_channels,
    turn,
    turned_and_moved,
    walker,
)

from genmm_addon.core import InputError, Motion, Skeleton, rotations
from genmm_addon.core.evaluation import (
    BodyModel,
    Flight,
    Support,
    center_of_mass,
    extrapolated_center,
    find_body_model,
    find_flights,
    find_gravity,
    find_support,
    gravity_error,
    gravity_of_examples,
)
from genmm_addon.core.evaluation.body.flights import frames_in_air
from genmm_addon.core.feet import feet_by_name, standing_of
from genmm_addon.core.motion import NO_PARENT

BODIES = {"biped": BIPED, "quadruped": QUADRUPED}


def at_rest(skeleton: Skeleton) -> Motion:
    identity = np.tile(np.array([1.0, 0.0, 0.0, 0.0], np.float32), (2, len(skeleton.names), 1))
    return Motion(skeleton, 30.0, identity)


def rod(length: float, pieces: int = 1) -> Skeleton:
    """Return a straight chain of equal bones along z."""
    count = pieces + 1
    steps = np.full((count, 3), [0.0, 0.0, length / pieces])
    steps[0] = 0.0
    turns = np.tile([1.0, 0.0, 0.0, 0.0], (count, 1))
    return Skeleton(tuple(f"bone {n}" for n in range(count)), np.arange(-1, pieces), turns, steps)


def whole_inertia(skeleton: Skeleton, model: BodyModel) -> np.ndarray:
    """Return the inertia of a whole body at rest about its center of mass."""
    axes = rotations.to_matrix(skeleton.rest_orientations)
    centers = skeleton.rest_positions + np.einsum("jab,jb->ja", axes, model.centers)
    away = centers - model.masses @ centers / model.masses.sum()
    points = np.einsum("j,jab->ab", model.masses, np.einsum("ja,ja->j", away, away)[:, None, None] * np.eye(3))
    points -= np.einsum("j,ja,jb->ab", model.masses, away, away)
    return np.asarray(points + np.einsum("jab,jbc,jdc->ad", axes, model.inertias, axes))


@pytest.mark.parametrize("kind", BODIES)
def test_all_segments_together_weigh_what_the_body_weighs(kind: str) -> None:
    model = find_body_model(build_skeleton(BODIES[kind]))
    assert np.isclose(model.masses.sum(), 1.0, atol=1e-3) and (model.masses >= 0).all()
    heavy = model.weighing(70.0)
    assert np.isclose(heavy.masses.sum(), 70.0) and np.allclose(
        heavy.inertias, 70 * model.inertias / model.masses.sum()
    )
    assert (np.linalg.eigvalsh(model.inertias) > -1e-12).all()
    with pytest.raises(InputError, match="above zero"):
        model.weighing(0.0)


def test_a_heavier_bone_draws_the_center_to_itself() -> None:
    motion = at_rest(build_skeleton(BIPED))
    model, hand = find_body_model(motion.skeleton), motion.skeleton.names.index("hand.L")
    centers = [center_of_mass(motion, model.with_mass(hand, mass))[0, 0] for mass in (0.0, 0.01, 0.1, 1.0)]
    assert centers == sorted(centers) and centers[-1] > 0.35
    with pytest.raises(InputError, match="below zero"):
        model.with_mass(hand, -1.0)


@pytest.mark.parametrize("pieces", [1, 2, 7])
def test_a_rod_has_its_center_and_inertia_however_it_is_divided(pieces: int) -> None:
    skeleton = rod(2.0, pieces)
    model = find_body_model(skeleton)
    assert np.allclose(center_of_mass(at_rest(skeleton), model), [0.0, 0.0, 1.0])
    inertia = whole_inertia(skeleton, model)
    radius = 0.2
    assert np.allclose(np.diag(inertia), [1 / 3 + radius**2 / 4] * 2 + [radius**2 / 2], rtol=1e-6)


@pytest.mark.parametrize("kind", BODIES)
def test_a_symmetric_body_is_symmetric(kind: str) -> None:
    skeleton = build_skeleton(BODIES[kind])
    model = find_body_model(skeleton)
    assert abs(center_of_mass(at_rest(skeleton), model)[0, 0]) < 1e-7
    for left, name in enumerate(skeleton.names):
        if name.endswith(".L"):
            right = skeleton.names.index(name[:-1] + "R")
            assert np.isclose(model.masses[left], model.masses[right])
            on_left, on_right = (float(np.linalg.norm(model.centers[joint])) for joint in (left, right))
            assert np.isclose(on_left, on_right)
    inertia = whole_inertia(skeleton, model)
    assert abs(inertia[0, 1]) < 1e-7 and abs(inertia[0, 2]) < 1e-7


def test_a_standing_human_has_its_center_at_the_height_of_the_literature() -> None:
    skeleton = build_skeleton(BIPED)
    model = find_body_model(skeleton)
    assert 1.6 < model.stature < 1.75
    arms_out = center_of_mass(at_rest(skeleton), model)[0, 2]
    # Women 55 %, men 57 % of the stature, some more with arms raised to the sides.
    assert 0.55 < arms_out / model.stature < 0.61
    assert find_body_model(build_skeleton(QUADRUPED)).stature == 0.0


def test_the_center_moves_turns_and_scales_with_the_body() -> None:
    motion = walker(40)
    model = find_body_model(motion.skeleton)
    center = center_of_mass(motion, model)
    moved = turned_and_moved(motion, 0.7, (1.0, -2.0, 0.3))
    turn = rotations.to_matrix(rotations.from_axis_angle(np.array([0.0, 0.0, 1.0]), np.array(0.7)))
    assert np.allclose(center_of_mass(moved, model), center @ turn.T + [1.0, -2.0, 0.3], atol=1e-4)
    larger = in_other_units(motion, 100.0)
    own = find_body_model(larger.skeleton)
    assert np.allclose(center_of_mass(larger, own), 100 * center, rtol=1e-4)
    assert np.allclose(own.inertias, 1e4 * model.inertias, rtol=1e-6)
    assert np.isclose(find_gravity(larger.skeleton, own), 100 * find_gravity(motion.skeleton, model))


def test_bones_without_length_and_single_joints_have_a_center() -> None:
    point = Skeleton(("only",), np.array([NO_PARENT]), np.array([[1.0, 0, 0, 0]]), np.array([[1.0, 2.0, 3.0]]))
    assert np.allclose(center_of_mass(at_rest(point), find_body_model(point)), [1.0, 2.0, 3.0])
    flat = replace(rod(1.0, 3), rest_translations=np.zeros((4, 3)))
    assert np.isfinite(center_of_mass(at_rest(flat), find_body_model(flat))).all()
    short = replace(rod(1.0, 3), rest_translations=np.array([[0.0, 0, 0], [0, 0, 1], [0, 0, 0], [0, 0, 1]]))
    assert np.allclose(center_of_mass(at_rest(short), find_body_model(short))[0], [0.0, 0.0, 1.0])


def test_a_ballistic_body_has_no_gravity_error_and_one_that_hovers_does_not_fly() -> None:
    motion = jumper()
    standing, model = standing_of(motion), find_body_model(motion.skeleton)
    center = center_of_mass(motion, model)
    (flight,) = find_flights(motion, center, standing)
    assert abs(flight.first - TAKE_OFF) <= 2 and np.isclose(flight.gravity, GRAVITY, rtol=1e-3)
    assert gravity_error(center[flight.first : flight.last + 1, 2], GRAVITY, motion.frames_per_second) < 0.01
    assert np.isclose(find_gravity(motion.skeleton, model, [flight]), GRAVITY, rtol=1e-3)
    hovering = jumper(hovers=True)
    assert find_flights(hovering, center_of_mass(hovering, model), standing) == ()
    walk = walker(240)
    assert find_flights(walk, center_of_mass(walk, model), standing_of(walk)) == ()


def test_gravity_is_that_of_examples_or_plausible_flights_and_else_fits_the_size() -> None:
    slow, true = jumper(GRAVITY / 2), jumper()
    model = find_body_model(true.skeleton)
    by_size = find_gravity(true.skeleton, model)
    assert np.isclose(by_size, 9.81 * model.stature / 1.7)
    flights = find_flights(slow, center_of_mass(slow, model), standing_of(slow))
    assert len(flights) == 1 and find_gravity(slow.skeleton, model, flights) == by_size
    assert gravity_of_examples([slow, slow], standing_of(slow)) is None
    shown = gravity_of_examples([slow, slow, slow], standing_of(slow))
    assert shown is not None and np.isclose(shown, GRAVITY / 2, rtol=1e-3)


def test_a_child_in_known_units_falls_as_all_do() -> None:
    motion = jumper()
    for height, unit in ((1.1, 1.0), (1.1, 0.01), (1.1, 0.0254), (1.9, 0.3048)):
        child = in_other_units(motion, height / find_body_model(motion.skeleton).stature / unit)
        model = find_body_model(child.skeleton)
        by_size = find_gravity(child.skeleton, model)
        for factor, shown in ((1.0, 9.81 / unit), (1.05, 1.05 * 9.81 / unit), (2.0, None), (0.4, None)):
            gravity = find_gravity(child.skeleton, model, [Flight(10, 20, factor * 9.81 / unit)])
            assert np.isclose(gravity, by_size if shown is None else shown)
    doll = in_other_units(motion, 0.2)
    assert find_gravity(doll.skeleton, find_body_model(doll.skeleton), [Flight(10, 20, 9.81)]) < 3.0


def test_the_support_is_the_polygon_of_what_carries_the_body() -> None:
    square = np.array([[[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0], [1.0, 1.0]]])
    support = Support(np.eye(3), 0.0, square, np.ones((1, 5), bool))
    assert len(support.polygon(0)) == 4
    for place, expected in (([1.0, 1.0], -1.0), ([3.0, 1.0], 1.0), ([1.5, 1.0], -0.5), ([3.0, 3.0], np.sqrt(2))):
        distance, outward = support.outside(np.array([[*place, 5.0]]))
        assert np.isclose(distance[0], expected, rtol=3e-3) and np.isclose(np.linalg.norm(outward), 1.0)
    without = replace(support, carries=np.zeros((1, 5), bool))
    assert np.isnan(without.outside(np.zeros((1, 3)))[0]).all() and len(without.polygon(0)) == 0


def test_a_stand_is_over_its_support_and_a_flight_has_none() -> None:
    motion = jumper()
    model = find_body_model(motion.skeleton)
    support, center = find_support(motion, standing_of(motion)), center_of_mass(motion, model)
    distance, _ = support.outside(center)
    assert (distance[:TAKE_OFF] < 0).all() and not support.exists[TAKE_OFF + 3 : TAKE_OFF + 8].any()
    nothing = find_support(motion, replace(standing_of(motion), feet=()))
    assert not nothing.exists.any() and np.isnan(nothing.outside(center)[0]).all()


def lying(depth: float) -> Motion:
    """Return a biped that lies on its front, with its bones at a height above the ground, in meters."""
    skeleton = build_skeleton(BIPED)
    turns = {"hips": turn(SIDEWAYS, np.full(2, np.pi / 2))}
    path = np.tile([0.0, 0.0, depth - skeleton.rest_positions[0, 2]], (2, 1))
    return Motion(
        skeleton, 30.0, pose_channels(skeleton, turns, 2), np.array([0]), place_channels(skeleton, "hips", path)
    )


@pytest.mark.parametrize("feet", [("foot.L", "foot.R"), ("hand.L", "hand.R")])
def test_a_body_lies_on_its_flesh_whichever_limbs_are_its_feet(feet: tuple[str, str]) -> None:
    down, up = lying(0.11), lying(0.4)
    standing = replace(standing_of(down), feet=feet_by_name(down.skeleton, feet), ground=np.full(2, 0.01))
    distance, _ = find_support(down, standing).outside(center_of_mass(down, find_body_model(down.skeleton)))
    assert (distance < 0).all() and not frames_in_air(down, standing).any()
    assert frames_in_air(up, standing).all()


def test_the_extrapolated_center_is_ahead_of_a_body_that_moves() -> None:
    path = np.array([[0.1 * t, 0.0, 0.981] for t in range(5)])
    ahead = extrapolated_center(path, 0.0, (0.0, 0.0, 1.0), 9.81, 10.0)
    assert np.allclose(ahead - path, [np.sqrt(0.1), 0.0, 0.0])
    with pytest.raises(InputError, match="above zero"):
        extrapolated_center(path, 0.0, (0.0, 0.0, 1.0), 0.0, 10.0)
