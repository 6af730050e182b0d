# SPDX-License-Identifier: GPL-3.0-or-later
"""Support of a body: the soles of planted feet, and whatever else of the body lies on the ground."""

from dataclasses import dataclass

import numpy as np

from ...arrays import Float64, Mask
from ...environment.ground.soles import find_sole, flat_level
from ...environment.ground.surface import make_surface
from ...feet.contact_detection import NEAR_GROUND, label_contacts
from ...feet.fixed_stances import LEAST_DRIFT
from ...feet.planting import Standing
from ...motion import rotations
from ...motion.motion import Motion, joint_path
from ...motion.rotations import HEADINGS
from ...motion.skeleton import SAME_PLACE
from .capsules import SOLID, find_capsules, posed_axes
from .human_segments import HUMAN, human_joints, stature

OFF_GROUND = LEAST_DRIFT
"""Height above the ground, as a share of the size, from which a part of a foot carries nothing: the shortest visible
distance, about the flesh under a toe joint."""


@dataclass(frozen=True, eq=False)
class Support:
    """Points on which a body rests over time, seen from above.

    axes: `(3, 3)` rows are two directions along the ground and the up direction, in the space of the roots. level: the
    height of the ground. points: `(T, P, 2)` along the first two axes. carries: `(T, P)` where they carry the body.

    >>> at = Support(np.eye(3), 0.0, np.array([[[0.0, 0.0], [2.0, 0.0], [0.0, 2.0]]]), np.ones((1, 3), bool))
    >>> distance, direction = at.outside(np.array([[3.0, 0.0, 1.0]]))
    >>> distance.round(2).tolist()
    [1.0]
    """

    axes: Float64
    level: float
    points: Float64
    carries: Mask

    @property
    def exists(self) -> Mask:
        """Return a mask `(T,)` of the frames at which anything carries the body."""
        return np.asarray(self.carries.any(axis=1))

    def outside(self, places: Float64, frames: int = 1) -> tuple[Float64, Float64]:
        """Return how far places `(T, 3)` are outside the polygon of support `(T,)`, and the direction `(T, 3)` outward.

        Distances are along the ground, negative inside, and nan where nothing carries the body. frames: number of
        frames, from that of a place on, in which whatever carries the body counts.
        """
        away = _circle()[:, :2].T
        distances, outward = np.full(len(places), np.nan), np.zeros((len(places), 3))
        busy = np.flatnonzero(self.exists)
        if not len(busy):
            return distances, outward
        used = np.flatnonzero(self.carries.any(axis=0))
        carries = self.carries[np.ix_(busy, used)][..., None]
        edges = np.where(carries, self.points[np.ix_(busy, used)] @ away, -np.inf).max(axis=1)
        if frames > 1:
            later = np.full((len(places) + frames - 1, edges.shape[1]), -np.inf)
            later[busy] = edges
            edges = np.lib.stride_tricks.sliding_window_view(later, frames, axis=0)[busy].max(axis=2)
        beyond = places[busy] @ self.axes[:2].T @ away - edges
        farthest = beyond.argmax(axis=1)
        distances[busy] = beyond[np.arange(len(busy)), farthest]
        outward[busy] = away.T[farthest] @ self.axes[:2]
        return distances, outward

    def polygon(self, frame: int) -> Float64:
        """Return the corners `(K, 3)` of the polygon of support at a frame, counterclockwise, on the ground.

        >>> at = Support(np.eye(3), 0.0, np.array([[[0.0, 0], [2, 0], [0, 2], [0.5, 0.5]]]), np.ones((1, 4), bool))
        >>> at.polygon(0).tolist()
        [[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [0.0, 2.0, 0.0]]
        """
        points = sorted(set(map(tuple, self.points[frame, self.carries[frame]].tolist())))
        corners = _chain(points)[:-1] + _chain(points[::-1])[:-1] if len(points) > 2 else points
        flat = np.array(corners).reshape(-1, 2)
        return np.asarray(flat @ self.axes[:2] + self.level * self.axes[2])


def find_support(motion: Motion, standing: Standing) -> Support:
    """Return the support of a motion's body; standing: its feet and the ground under them.

    A foot in contact carries with the part of its sole that is down. The flesh around any other bone carries as well
    where it is as low as a standing foot, so that a body may kneel, lie or stand on its hands.

    >>> from genmm_addon.core.feet import standing_of
    >>> bool(find_support(swing, standing_of(swing)).exists.any())
    False
    """
    skeleton = motion.skeleton
    axes = np.concatenate((rotations.ground_axes(skeleton.up), np.array(skeleton.up, np.float64)[None]))
    if not standing.feet:
        return Support(axes, 0.0, np.zeros((motion.frames, 0, 2)), np.zeros((motion.frames, 0), bool))
    contacts = label_contacts(motion, standing.feet, standing.ground)
    # Only the axes of the ground matter; one triangle gives them.
    flat = make_surface(np.stack((np.zeros(3), axes[0], axes[1]))[None], skeleton.up)
    level, points, carries = flat_level(motion, standing.feet, contacts, flat), list[Float64](), list[Mask]()
    near, human = OFF_GROUND * skeleton.size, human_joints(skeleton)
    # A foot without toes has no direction; that of a human is a disc of its length, and a hoof is a point.
    disc = np.zeros((1, 3)) if human is None else HUMAN["foot"].length * stature(skeleton, human) / 2 * _circle()
    for index, foot in enumerate(standing.feet):
        if foot.leg and foot.leg[-1] != foot.joint:
            sole = find_sole(motion, foot, contacts[:, index], level, flat).points
        else:
            sole = (joint_path(motion, foot.joint) @ axes.T)[:, None] + disc
        points.append(sole[..., :2])
        down = sole[..., 2] < sole[..., 2].min(axis=1, keepdims=True) + near
        carries.append(down & contacts[:, index, None])
    flesh, heights = flesh_over_ground(motion, standing, level)
    low = heights < NEAR_GROUND * skeleton.size
    lying = np.flatnonzero(low.any(axis=0))
    points.append(flesh[:, lying] @ axes[:2].T)
    carries.append(low[:, lying])
    return Support(axes, level, np.concatenate(points, axis=1), np.concatenate(carries, axis=1))


def _circle() -> Float64:
    """Return directions `(D, 3)` along the ground, in its axes; distances along them are exact within 0.1 %."""
    angles = np.arange(HEADINGS) * (2 * np.pi / HEADINGS)
    return np.stack((np.cos(angles), np.sin(angles), np.zeros(HEADINGS)), axis=1)


def flesh_over_ground(motion: Motion, standing: Standing, level: float) -> tuple[Float64, Float64]:
    """Return the places `(T, K, 3)` of the flesh at the ends of bones, and its heights `(T, K)` above the ground.

    Ankles and what is below have none, since feet carry by their contacts. Bodies that are not human have none above
    the pelvis, as a tree, where joints may lie on the ground at all times, and the radii of their limbs, which are thin
    at their ends, are not known. level: the height of the ground.

    >>> from genmm_addon.core.feet import standing_of
    >>> flesh_over_ground(swing, standing_of(swing), 0.0)[1].shape
    (60, 0)
    """
    skeleton, feet = motion.skeleton, standing.feet
    capsules = find_capsules(skeleton)
    carriers, below = capsules.carriers, capsules.radii.copy()
    used = np.ones((2, len(carriers)), bool)
    is_human = human_joints(skeleton) is not None
    if not is_human:
        below /= SOLID
    if feet and not is_human:
        shared = set.intersection(*(set(skeleton.chain(foot.joint)[:-1]) for foot in feet))
        if shared:
            used &= skeleton.descendants(max(shared))[carriers]
        below[capsules.owners >= 0] = 0.0
    axes = rotations.to_matrix(skeleton.rest_orientations)[carriers]
    ends = np.stack((capsules.starts, capsules.ends))
    rest = skeleton.rest_positions[carriers] + np.einsum("cab,ecb->eca", axes, ends)
    for ankle in (foot.leg[-1] if foot.leg else foot.joint for foot in feet):
        used &= ~skeleton.descendants(ankle)[carriers]
        used &= np.linalg.norm(rest - skeleton.rest_positions[ankle], axis=2) > SAME_PLACE * skeleton.size
    kept = np.flatnonzero(used)
    places = np.concatenate(posed_axes(motion, capsules), axis=1)[:, kept]
    return places, places @ np.array(skeleton.up) - level - below.T.ravel()[kept]


def _chain(points: list[tuple[float, ...]]) -> list[tuple[float, ...]]:
    """Return the lower hull of points in ascending order (Andrew 1979)."""
    chain: list[tuple[float, ...]] = []
    for x, y in points:
        while len(chain) > 1:
            (a, b), (c, d) = chain[-2:]
            if (c - a) * (y - b) - (d - b) * (x - a) > 0:
                break
            chain.pop()
        chain.append((x, y))
    return chain
