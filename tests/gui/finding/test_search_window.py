# SPDX-License-Identifier: GPL-3.0-or-later
"""Wishes typed into Blender's menu search: each leads to its feature within three hits."""

import json
import sys
from pathlib import Path

import pytest
from driving import Facts, drive

sys.path.append(str(Path(__file__).resolve().parent))

from menu_search import search

HITS = 3
WISHES = {
    "generate": "genmm.generate_motion",
    "new motion": "genmm.generate_motion",
    "loop": "genmm.generate_motion",
    "cycle": "genmm.generate_motion",
    "variations": "genmm.generate_motion",
    "retarget": "genmm.add_other_character",
    "mirror examples": "genmm.show_help",
    "live preview": "genmm.live",
    "steer": "genmm.steer",
    "polish": "genmm.polish_performance",
    "pin pose": "genmm.pin_pose",
    "follow path": "genmm.show_help",
    "follow curve": "genmm.show_help",
    "waypoint": "genmm.add_row",
    "stairs": "genmm.show_help",
    "terrain": "genmm.show_help",
    "hand at object": "genmm.add_row",
    "hold hand": "genmm.add_row",
    "lock foot": "genmm.add_row",
    "keep part": "genmm.show_help",
    "fill gap": "genmm.fill_range",
    "in-between": "genmm.fill_range",
    "blocking": "genmm.blocking_to_spline",
    "spline": "genmm.blocking_to_spline",
    "extend": "genmm.continue_action",
    "continue": "genmm.continue_action",
    "transition": "genmm.connect_action",
    "connect": "genmm.connect_action",
    "regenerate": "genmm.edit_stretch",
    "coarse keys": "genmm.coarse_keys",
    "natural": "genmm.make_natural",
    "simplify keys": "genmm.simplify_keys",
    "restyle": "genmm.restyle",
    "style": "genmm.restyle",
    "blend action": "genmm.blend_action",
    "speed": "genmm.edit_attributes",
    "posture": "genmm.edit_attributes",
    "sliding feet": "genmm.repair",
    "jitter": "genmm.repair",
    "repair": "genmm.repair",
    "landing": "genmm.repair",
    "jumps": "genmm.repair",
    "balance": "genmm.repair",
    "braking": "genmm.repair",
    "sit": "genmm.warp_motion",
    "fit to object": "genmm.warp_motion",
    "tap beat": "genmm.mark_beats",
    "music": "genmm.add_row",
    "feet on ground": "genmm.put_feet_on_ground",
    "root motion": "genmm.root_motion_to_bone",
    "library": "genmm.build_library",
    "find similar": "genmm.find_similar",
    "clusters": "genmm.show_clusters",
    "crowd": "genmm.make_crowd",
    "action asset": "genmm.mark_asset",
    "engine": "genmm.root_motion_to_bone",
    "compare": "genmm.compare_variations",
    "export settings": "genmm.export_settings",
    "trajectory": "genmm.choose_trajectory",
    "motion trail": "genmm.drag_trail",
    "warp": "genmm.warp_motion",
    "vault": "genmm.warp_motion",
    "mirror": "genmm.show_help",
    "blend": "genmm.blend_action",
}


@pytest.fixture(scope="module")
def menus() -> Facts:
    return drive("finding/drive_search.py")


@pytest.mark.parametrize("wish", WISHES)
def test_a_wish_leads_to_its_feature_within_three_hits(menus: Facts, wish: str) -> None:
    operators = {path: operator for path, operator, _ in reversed(menus["entries"])}
    hits = search(wish, [path for path, _, _ in menus["entries"]])[:HITS]
    assert WISHES[wish] in [operators[path] for path in hits], hits


def test_the_menus_have_each_feature_once(menus: Facts) -> None:
    ours = [json.dumps(entry[1:]) for entry in menus["entries"] if entry[1].startswith("genmm.")]
    assert len(ours) > 60
    assert sorted(entry for entry in set(ours) if ours.count(entry) > 1) == []
