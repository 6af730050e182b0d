# SPDX-License-Identifier: GPL-3.0-or-later
"""Coarse keys, Make Natural and assets of a Mixamo-like character and of Rigify's human in a real window."""

import numpy as np
import pytest
from driving import Facts, drive

NAMES = ("Mixamo", "Rigify")


@pytest.fixture(scope="module")
def found() -> Facts:
    return drive("characters/drive_rigs_natural.py")


@pytest.mark.parametrize("name", NAMES)
def test_the_hand_is_where_a_coarse_key_has_it_in_the_full_motion(found: Facts, name: str) -> None:
    assert found[name]["full"] == pytest.approx(found[name]["edited"], abs=1e-4)


@pytest.mark.parametrize("name", NAMES)
def test_naturalized_foot_is_closer_to_the_recording(found: Facts, name: str) -> None:
    recorded, rough, natural = (np.array(found[name][what]) for what in ("recorded", "rough", "natural"))
    off, left = (np.linalg.norm(places - recorded, axis=1).mean() for places in (rough, natural))
    assert left < off
    assert np.allclose(natural[[0, -1]], rough[[0, -1]], atol=1e-4), "the poses at both ends stay"


@pytest.mark.parametrize("name", NAMES)
def test_the_walk_is_an_asset_in_the_catalog_that_was_typed(found: Facts, name: str) -> None:
    assert found[name]["asset"] == [f"Walks/{name}", [256, 256]]
