# SPDX-License-Identifier: GPL-3.0-or-later
"""Goals of a steered character: it knows where it is, and goes more slowly to what is near."""

import bpy
import numpy as np
import pytest

from genmm_addon.animation.actions import assign
from genmm_addon.character.sample.sample_character import add_sample_character
from genmm_addon.requests.edit_examples import steering_examples
from genmm_addon.steering.proxy import read_pose
from genmm_addon.steering.session import NEAR_SECONDS, Session, ready_to_steer

pytestmark = pytest.mark.usefixtures("extension")


@pytest.fixture
def session() -> Session:
    """Return the session of a character that has walked for two seconds, away from where it began."""
    rig = add_sample_character(bpy.context).armature
    assign(rig, bpy.data.actions["GenMM Walk"])
    bpy.context.view_layer.objects.active = rig
    bpy.context.scene.frame_set(1)
    steering = ready_to_steer(rig, bpy.context.scene, steering_examples(rig, bpy.context.scene), 0.5)
    made = Session.at(steering, read_pose(rig, steering.examples.reading.motions[0]))
    goal = made.place() + np.array([0.0, -100.0, 0.0])
    for _ in range(60):
        made.step(made.toward(goal))
    return made


def test_the_place_is_that_of_the_hips(session: Session) -> None:
    frame = session.frames[-1]
    shown = frame.pose()[1][0, frame.skeleton.names.index("Hips")]
    assert np.linalg.norm(shown[:2]) > 0.3
    assert np.linalg.norm(session.place()[:2] - shown[:2]) < 0.1


def test_a_goal_that_is_near_is_approached_more_slowly(session: Session) -> None:
    for seconds, share in ((NEAR_SECONDS / 2, 0.5), (4 * NEAR_SECONDS, 1.0)):
        goal = session.place() + np.array([session.speed * seconds, 0.0, 0.0])
        velocity = session.toward(goal).velocity
        assert velocity is not None and np.allclose(velocity, [share * session.speed, 0.0, 0.0], atol=1e-3)
