# SPDX-License-Identifier: GPL-3.0-or-later
"""The bench that brings walks to characters of other files: it goes on past files and pairs that cannot be used."""

import io
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from bench.transfer import bring_all
from genmm_addon.character.sample.sample_motions import sample_motions
from genmm_addon.core import Motion, Skeleton, save_bvh

pytestmark = pytest.mark.usefixtures("extension")


def named(motion: Motion, prefix: str) -> Motion:
    """Return a motion whose joints have other names."""
    names = tuple(f"{prefix}{name}" for name in motion.skeleton.names)
    return replace(motion, skeleton=replace(motion.skeleton, names=names))


def test_a_walk_is_brought_to_all_characters_that_it_can_be_brought_to(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    clips, targets = tmp_path / "clips", tmp_path / "targets"
    clips.mkdir()
    targets.mkdir()
    walk = sample_motions(30.0)["GenMM Walk"]
    save_bvh(clips / "walk.bvh", walk)
    save_bvh(clips / "wave.bvh", walk)
    (targets / "a broken.bvh").write_text("HIERARCHY")
    lone = Skeleton(("lone",), np.array([-1]), np.array([[1.0, 0.0, 0.0, 0.0]]), np.zeros((1, 3)))
    save_bvh(targets / "b lone.bvh", Motion(lone, 30.0, walk.rotations[:, :1]))
    save_bvh(targets / "c hero.bvh", named(walk, "Hero "))
    results = io.StringIO()
    bring_all(clips, targets, results)
    (row,) = [json.loads(line) for line in results.getvalue().splitlines()]
    assert row["clip"] == "walk" and row["onto"] == "c hero.bvh"
    assert row["knees"] == pytest.approx(1.0, abs=0.05) and row["knees_back"] == pytest.approx(0.0, abs=0.5)
    said = capfd.readouterr().err
    assert "a broken.bvh" in said and "walk onto b lone.bvh: " in said
