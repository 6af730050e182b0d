# SPDX-License-Identifier: GPL-3.0-or-later
"""Samples of curves, which must equal Blender's evaluation for any keys."""

from typing import Literal

import bpy
import numpy as np
import pytest
from rigs import Interpolation, key, make_rig

from genmm_addon.animation import actions
from genmm_addon.animation.sampling import CurveSampler

WHOLE = np.arange(-3.0, 30.0)
HALVES = np.arange(-3.0, 30.0) + 0.5
KINDS = ("CONSTANT", "LINEAR", "BEZIER", "SINE", "BOUNCE", "ELASTIC", "BACK")


def curve_with(
    keys: list[tuple[float, float]], kinds: Interpolation | list[Interpolation] = "LINEAR"
) -> bpy.types.FCurve:
    action, slot = actions.new_action("Curve", make_rig())
    curve = key(action, slot, "location", 0, keys)
    each = [kinds] * len(keys) if isinstance(kinds, str) else kinds
    for point, kind in zip(curve.keyframe_points, each, strict=True):
        point.interpolation = kind
    curve.update()
    return curve


def as_blender(curve: bpy.types.FCurve, frames: np.ndarray) -> np.ndarray:
    return np.array([curve.evaluate(frame) for frame in frames])


def same(curve: bpy.types.FCurve, frames: np.ndarray) -> bool:
    return np.allclose(CurveSampler(frames).sample(curve), as_blender(curve, frames), rtol=1e-6, atol=1e-5)


@pytest.mark.parametrize("frames", [WHOLE, HALVES], ids=["whole", "halves"])
@pytest.mark.parametrize("kind", KINDS)
def test_every_interpolation_between_keys(kind: Interpolation, frames: np.ndarray) -> None:
    assert same(curve_with([(0, 1.0), (4, 5.0), (9.25, -2.0), (20, 3.0)], kind), frames)


def test_interpolations_may_change_from_key_to_key() -> None:
    kinds: list[Interpolation] = ["BEZIER", "CONSTANT", "LINEAR", "SINE", "LINEAR"]
    assert same(curve_with([(0, 1.0), (4, 5.0), (9, -2.0), (15.5, 8.0), (20, 3.0)], kinds), WHOLE)


@pytest.mark.parametrize("offset", [-2e-4, -1e-5, 0.0, 1e-5, 2e-4])
def test_stepped_keys_a_hair_beside_a_frame(offset: float) -> None:
    """Importers compute key times in single precision, but a step must not be a frame late."""
    curve = curve_with([(0, 1.0), (5 + offset, 5.0), (9, -2.0)], "CONSTANT")
    assert np.array_equal(CurveSampler(WHOLE).sample(curve), as_blender(curve, WHOLE))


def test_keys_on_every_frame_are_taken_as_they_are() -> None:
    values = np.random.default_rng(0).normal(size=40)
    curve = curve_with([(frame, value) for frame, value in zip(range(-5, 35), values.tolist(), strict=True)], "BEZIER")
    assert np.array_equal(CurveSampler(WHOLE).sample(curve), as_blender(curve, WHOLE).astype(np.float32))


@pytest.mark.parametrize("extrapolation", ["CONSTANT", "LINEAR"])
@pytest.mark.parametrize("kind", ["LINEAR", "BEZIER"])
def test_beyond_the_keys(extrapolation: Literal["CONSTANT", "LINEAR"], kind: Interpolation) -> None:
    curve = curve_with([(3, 1.0), (9, 7.0)], kind)
    curve.extrapolation = extrapolation
    assert same(curve, WHOLE)


def test_modifiers_are_obeyed() -> None:
    curve = curve_with([(0, 1.0), (4, 5.0)])
    curve.modifiers.new("CYCLES")
    noise = curve.modifiers.new("NOISE")
    noise.strength = 2.0
    assert same(curve, WHOLE)
    noise.mute = True
    assert same(curve, WHOLE)


def test_curves_with_the_same_and_other_key_times_in_turn() -> None:
    sampler = CurveSampler(HALVES)
    first, second = curve_with([(0, 1.0), (8, 5.0)]), curve_with([(2, 1.0), (9, 3.0)])
    third, fourth = curve_with([(2, 4.0), (9, -3.0)]), curve_with([(2, 1.0), (9, 3.0), (12, 0.0)])
    for curve in (first, second, third, fourth, first):
        assert np.allclose(sampler.sample(curve), as_blender(curve, HALVES), atol=1e-5)


def test_baked_samples_are_evaluated() -> None:
    curve = curve_with([(0, 1.0), (10, 5.0)], "SINE")
    curve.convert_to_samples(0, 11)
    assert len(curve.keyframe_points) == 0
    assert same(curve, np.arange(0.0, 10.0))


def test_non_finite_key_is_sampled_at_its_frame() -> None:
    curve = curve_with([(0, 1.0), (5, float("nan")), (10, 2.0)])
    values = CurveSampler(np.arange(11.0)).sample(curve)
    assert np.isnan(values[5]) and values[0] == 1.0 and values[10] == 2.0
