# SPDX-License-Identifier: GPL-3.0-or-later
"""F-curves sampled at given frames: from their keys if that is exact, otherwise evaluated by Blender."""

from dataclasses import dataclass

import numpy as np
from bpy.types import FCurve

from ..core import Float32, Float64, Int64

SAME_FRAME = 1e-4
"""Distance in frames within which Blender evaluates a curve at its key; such frames count as the same."""
CONSTANT, LINEAR, BEZIER = range(3)
"""Interpolations, as Blender numbers them; higher numbers are easings."""


@dataclass(frozen=True, eq=False)
class _Plan:
    """The positions of the sampled frames among a curve's key times."""

    times: Float32
    before: Int64
    weights: Float64
    between: Int64
    outside: bool


class CurveSampler:
    """Sampler of curves at given frames; curves with the same key times share the search."""

    def __init__(self, frames: Float64) -> None:
        """Prepare for `frames` `(T,)`, ascending, whole or not."""
        self.frames = frames
        self._plan: _Plan | None = None
        self._keys = np.empty(0, np.float32)

    def sample(self, curve: FCurve) -> Float32:
        """Return the curve's values `(T,)`, as Blender evaluates them."""
        count = len(curve.keyframe_points)
        if count == 0 or len(curve.modifiers):
            return self.evaluate(curve)
        if len(self._keys) != 2 * count:
            self._keys = np.empty(2 * count, np.float32)
        curve.keyframe_points.foreach_get("co", self._keys)
        times, values = self._keys[0::2], self._keys[1::2]
        plan = self._plan_for(times)
        if plan is None or (plan.outside and curve.extrapolation != "CONSTANT"):
            return self.evaluate(curve)
        if not len(plan.between):
            return values[plan.before]
        return self._between_keys(curve, values, plan)

    def evaluate(self, curve: FCurve) -> Float32:
        """Return the curve's values `(T,)`, evaluated one by one by Blender."""
        return np.array([curve.evaluate(frame) for frame in self.frames.tolist()], np.float32)

    def _plan_for(self, times: Float32) -> _Plan | None:
        """Return the plan for key times; None if they are not in order, as with NaN."""
        plan = self._plan
        if plan is not None and len(plan.times) == len(times) and bool((plan.times == times).all()):
            return plan
        if not np.all(times[1:] >= times[:-1]) or np.isnan(times[0]):
            return None
        self._plan = _search(times.copy(), self.frames)
        return self._plan

    def _between_keys(self, curve: FCurve, values: Float32, plan: _Plan) -> Float32:
        kinds = np.empty(len(values), np.uint8)
        curve.keyframe_points.foreach_get("interpolation", kinds)
        result = values[plan.before]
        between = plan.between
        start = plan.before[between]
        kind = kinds[start]
        linear = kind == LINEAR
        low = values[start[linear]]
        result[between[linear]] = low + (values[start[linear] + 1] - low) * plan.weights[between[linear]]
        for frame in between[kind > LINEAR].tolist():
            result[frame] = curve.evaluate(float(self.frames[frame]))
        return result


def _search(times: Float32, frames: Float64) -> _Plan:
    exact = times.astype(np.float64)
    before = np.clip(np.searchsorted(exact, frames + SAME_FRAME, side="right") - 1, 0, len(times) - 1)
    after = np.minimum(before + 1, len(times) - 1)
    offset = frames - exact[before]
    inside = (offset > SAME_FRAME) & (after > before)
    spans = np.where(inside, exact[after] - exact[before], 1.0)
    outside = bool(frames[0] < exact[0] - SAME_FRAME or frames[-1] > exact[-1] + SAME_FRAME)
    return _Plan(times, before, offset / spans, np.flatnonzero(inside), outside)
