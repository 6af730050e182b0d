# SPDX-License-Identifier: GPL-3.0-or-later
"""Masses of a body are the volumes of its skin, where this has an inside, and else those of a table."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from genmm_addon.core import InputError, Skeleton, rotations
from genmm_addon.core.evaluation import BodyModel, RestSkin, body_model_of_skin, find_body_model
from genmm_addon.core.motion import NO_PARENT

Float64 = NDArray[np.float64]
Corner = tuple[float, float, float]

EDGE = 0.1
JOINTS = {
    "hips": (NO_PARENT, (0.0, 0.0, 1.0)),
    "chest": (0, (0.0, 0.0, 1.4)),
    "head": (1, (0.0, 0.0, 1.8)),
    "arm.L": (1, (0.2, 0.0, 1.7)),
    "arm.R": (1, (-0.2, 0.0, 1.7)),
    "leg.L": (0, (0.15, 0.0, 1.0)),
    "leg.R": (0, (-0.15, 0.0, 1.0)),
    "hand.L": (3, (0.7, 0.0, 1.7)),
    "hand.R": (4, (-0.7, 0.0, 1.7)),
    "foot.L": (5, (0.15, 0.0, 0.1)),
    "foot.R": (6, (-0.15, 0.0, 0.1)),
}
"""Parents and places of joints, in the middle of the faces between boxes. Three have none of the skin."""
BOXES = {
    "hips": ((-0.2, -0.1, 1.0), (0.2, 0.1, 1.4)),
    "chest": ((-0.2, -0.1, 1.4), (0.2, 0.1, 1.8)),
    "head": ((-0.1, -0.1, 1.8), (0.1, 0.1, 2.1)),
    "arm.L": ((0.2, -0.1, 1.6), (0.7, 0.1, 1.8)),
    "arm.R": ((-0.7, -0.1, 1.6), (-0.2, 0.1, 1.8)),
    "leg.L": ((0.1, -0.1, 0.1), (0.2, 0.1, 1.0)),
    "leg.R": ((-0.2, -0.1, 0.1), (-0.1, 0.1, 1.0)),
    "hand.L": ((0.7, -0.1, 1.6), (0.8, 0.1, 1.8)),
}
"""Opposite corners of the boxes that together are the body, by the joints that carry them."""


def skeleton() -> Skeleton:
    parents = np.array([parent for parent, _ in JOINTS.values()])
    places = np.array([place for _, place in JOINTS.values()])
    turns = np.tile([1.0, 0.0, 0.0, 0.0], (len(parents), 1))
    # A bone has axes of its own, in which its center is given.
    turns[1] = [np.sqrt(0.5), np.sqrt(0.5), 0.0, 0.0]
    bones = Skeleton(tuple(JOINTS), parents, turns, np.zeros_like(places))
    steps = np.zeros_like(places)
    for joint, parent in enumerate(parents.tolist()):
        away = places[joint] - (places[parent] if parent >= 0 else 0.0)
        steps[joint] = away @ axes_of(bones)[parent] if parent >= 0 else away
    return replace(bones, rest_translations=steps)


def axes_of(bones: Skeleton) -> Float64:
    return np.asarray(rotations.to_matrix(bones.rest_orientations), np.float64)


def skin_of(boxes: Mapping[str, tuple[Corner, Corner]]) -> RestSkin:
    """Return the outside of boxes together as squares, without the faces at which they touch."""
    cells: dict[tuple[int, ...], int] = {}
    for name, (low, high) in boxes.items():
        first, last = (np.round(np.array(corner) / EDGE).astype(int) for corner in (low, high))
        for cell in np.ndindex(*(last - first)):
            cells[tuple((first + cell).tolist())] = list(JOINTS).index(name)
    points, normals, joints = list[Float64](), list[Float64](), list[int]()
    for cell, joint in cells.items():
        for normal in (*np.eye(3, dtype=int), *-np.eye(3, dtype=int)):
            if tuple((np.array(cell) + normal).tolist()) not in cells:
                points.append(EDGE * (np.array(cell) + 0.5 + 0.5 * normal))
                normals.append(EDGE**2 * normal)
                joints.append(joint)
    areas = np.array(normals)
    return RestSkin(np.array(points), np.linalg.norm(areas, axis=1), np.array(joints), areas)


def outward(skin: RestSkin) -> Float64:
    assert skin.outward is not None
    return skin.outward


def volumes() -> Float64:
    """Return the volume of each joint's box, 0 without one."""
    corners = np.array([BOXES.get(name, np.zeros((2, 3))) for name in JOINTS])
    return np.asarray(np.prod(corners[:, 1] - corners[:, 0], axis=1))


def middles() -> Float64:
    """Return the middle of each box, as it is carried by `BOXES`."""
    return np.array([np.mean(box, axis=0) for box in BOXES.values()])


def centers(bones: Skeleton, model: BodyModel) -> Float64:
    """Return the centers of mass at rest of the joints that carry boxes."""
    places = bones.rest_positions + np.einsum("jab,jb->ja", axes_of(bones), model.centers)
    return np.asarray(places[: len(BOXES)])


def test_boxes_weigh_their_volumes_and_have_their_centers_in_the_middle() -> None:
    bones = skeleton()
    model = body_model_of_skin(bones, skin_of(BOXES))
    assert np.allclose(model.masses, volumes() / volumes().sum(), rtol=1e-9)
    assert np.allclose(centers(bones, model), middles(), atol=1e-9)


def test_the_inertia_of_a_box_is_that_of_the_textbook() -> None:
    bones = skeleton()
    model = body_model_of_skin(bones, skin_of(BOXES))
    arm = list(JOINTS).index("arm.R")
    width, depth, height = np.diff(np.array(BOXES["arm.R"]), axis=0)[0]
    about = np.array([depth**2 + height**2, width**2 + height**2, width**2 + depth**2]) / 12
    assert np.allclose(model.inertias[arm], model.masses[arm] * np.diag(about), rtol=1e-6, atol=1e-12)


def test_masses_do_not_depend_on_units_and_parts_may_be_separate_boxes() -> None:
    bones, whole = skeleton(), skin_of(BOXES)
    larger = replace(bones, rest_translations=100 * bones.rest_translations)
    hundred = replace(whole, points=100 * whole.points, outward=1e4 * outward(whole))
    expected = body_model_of_skin(bones, whole)
    assert np.allclose(body_model_of_skin(larger, hundred).masses, expected.masses, rtol=1e-9)
    apart = [skin_of({name: box}) for name, box in BOXES.items()]
    columns = zip(*((part.points, part.areas, part.joints, outward(part)) for part in apart), strict=True)
    robot = body_model_of_skin(bones, RestSkin(*(np.concatenate(column) for column in columns)))
    assert np.allclose(robot.masses, expected.masses, rtol=1e-9)
    assert np.allclose(centers(bones, robot), middles(), atol=1e-9)


def test_a_bone_without_skin_between_two_parts_leaves_them_as_they_are() -> None:
    boxes = {**BOXES, "hips": (BOXES["hips"][0], BOXES["chest"][1])}
    del boxes["chest"]
    model = body_model_of_skin(skeleton(), skin_of(boxes))
    expected = volumes()
    expected[:2] = expected[:2].sum(), 0.0
    # Head and arms meet in the chest: it has what is between their cuts and itself, and the hips have the rest.
    assert model.masses[:2].sum() == pytest.approx(expected[0] / expected.sum())
    assert np.allclose(model.masses[2:], expected[2:] / expected.sum(), rtol=1e-9, atol=1e-12)
    assert np.isfinite(model.centers).all() and np.isfinite(model.inertias).all()


def test_a_weight_of_the_user_wins() -> None:
    model = body_model_of_skin(skeleton(), skin_of(BOXES)).weighing(70.0).with_mass(7, 20.0)
    assert model.masses[7] == 20.0 and model.masses.sum() > 80.0


def with_cloak(two_sided: bool) -> RestSkin:
    """Return the boxes with a sheet behind the chest as large as the trunk, which the chest carries."""
    body = skin_of(BOXES)
    sheet = np.array([(x, 0.3, z) for x in np.linspace(-0.5, 0.5, 11) for z in np.linspace(0.5, 1.7, 13)])
    sides = [1.0, -1.0] if two_sided else [1.0]
    areas = np.concatenate([outward(body), *(np.tile([0.0, side * EDGE**2, 0.0], (len(sheet), 1)) for side in sides)])
    points = np.concatenate([body.points, *(sheet for _ in sides)])
    joints = np.append(body.joints, np.full(len(sheet) * len(sides), 1))
    return RestSkin(points, np.linalg.norm(areas, axis=1), joints, areas)


def test_a_sheet_with_two_sides_weighs_nothing() -> None:
    assert np.allclose(body_model_of_skin(skeleton(), with_cloak(True)).masses, volumes() / volumes().sum(), rtol=1e-9)


def absurd() -> dict[str, RestSkin]:
    whole = skin_of(BOXES)
    behind, low = outward(whole)[:, 1] < 0, whole.points[:, 2] < 0.1 + 1e-6
    return {
        "without points": RestSkin(np.zeros((0, 3)), np.zeros(0), np.zeros(0, int), np.zeros((0, 3))),
        "open in front": replace(whole, outward=np.where(behind[:, None], 0.0, outward(whole))),
        "without soles": replace(whole, outward=np.where(low[:, None], 0.0, outward(whole))),
        "cloak of one side": with_cloak(False),
        "thin as paper": replace(whole, points=whole.points * [1, 1e-4, 1], outward=outward(whole) * [1e-4, 1, 1e-4]),
        "inside out": replace(whole, outward=-outward(whole)),
        "sword": skin_of({"hand.L": ((0.7, -0.1, 1.7), (0.8, 0.0, 2.9))}),
        "unknown bones": replace(whole, joints=np.full(len(whole.joints), -1)),
    }


@pytest.mark.parametrize("kind", absurd())
def test_a_skin_without_an_inside_leaves_the_masses_of_the_bones(kind: str) -> None:
    bones = skeleton()
    model, expected = body_model_of_skin(bones, absurd()[kind]), find_body_model(bones)
    assert np.array_equal(model.masses, expected.masses) and np.array_equal(model.centers, expected.centers)


def test_a_small_opening_changes_little() -> None:
    whole = skin_of(BOXES)
    gap = np.abs(whole.points - [0.05, -0.1, 1.25]).max(axis=1) < 0.01
    model = body_model_of_skin(skeleton(), replace(whole, outward=np.where(gap[:, None], 0.0, outward(whole))))
    assert gap.sum() == 1 and np.allclose(model.masses, volumes() / volumes().sum(), atol=0.01)


def test_a_skin_without_normals_is_refused() -> None:
    with pytest.raises(InputError, match="areas along their normals"):
        body_model_of_skin(skeleton(), RestSkin(np.zeros((2, 3)), np.ones(2), np.zeros(2, int)))
