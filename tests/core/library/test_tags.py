# SPDX-License-Identifier: GPL-3.0-or-later
"""Tags of clips: from names and folders by a pattern, from words, and in choices."""

import pytest

from genmm_addon.core import InputError
from genmm_addon.core.library import TagPattern, parse_choice, tags_of


def test_a_pattern_gives_tags_to_the_names_it_fits() -> None:
    pattern = TagPattern("dataset-1_{action}_{style}_{take}")
    assert pattern.tags("dataset-1_walk-left_not-confident_001.bvh") == {
        "action": "walk-left",
        "style": "not-confident",
        "take": "001",
    }
    assert pattern.tags("dataset-2_walk_old_001.bvh") is None


def test_folders_are_fields_too() -> None:
    assert TagPattern("{subject}/{action}_{}").tags("all/anna/walk_01.BVH") == {"subject": "anna", "action": "walk"}
    assert TagPattern("{style}/*").tags("takes/old/any name.fbx") == {"style": "old"}
    assert TagPattern("{subject}/{action}").tags("walk.bvh") is None
    assert TagPattern("{subject}/{action}").tags(r"anna\walk.bvh") == {"subject": "anna", "action": "walk"}


def test_actions_of_a_file_are_named_behind_it() -> None:
    assert TagPattern("hero:{action}_{style}").tags("hero.blend:walk_old") == {"action": "walk", "style": "old"}

    pattern = TagPattern("{action}_{style}")
    assert pattern.tags("a/walk_old.fbx:Armature|mixamo.com") == {"action": "walk", "style": "old"}, (
        "one file, one take"
    )
    assert pattern.tags("a/walk_old.glb:Take_001.001") == {"action": "walk", "style": "old"}
    assert pattern.tags("a/hero_v2.blend:run_angry") == {"action": "run", "style": "angry"}, "many takes, one file"
    assert pattern.tags("a/hero.glb:run_angry") == {"action": "run", "style": "angry"}
    assert pattern.tags("a/walk_sad.blend:Take 1") == {"action": "walk", "style": "sad"}
    assert TagPattern("{who}/{action}_*").tags("a/anna/all.blend:run_1") == {"who": "anna", "action": "run"}
    assert pattern.tags("rig:walk_old") == {"action": "rig:walk", "style": "old"}, "an action of the open file"


@pytest.mark.parametrize("text", ["walk", "{a", "a}", "{a}_{a}", "{a=b}", "{}", "{a b}"])
def test_invalid_pattern_is_rejected(text: str) -> None:
    with pytest.raises(InputError, match="pattern"):
        TagPattern(text)


def test_words_are_tags() -> None:
    assert tags_of(["style = angry", "walk", " ", "=x"]) == {"style": "angry", "walk": ""}


def test_a_choice_takes_several_values_of_a_key() -> None:
    assert parse_choice("style=angry, style=old,action=walk") == {"style": ("angry", "old"), "action": ("walk",)}
    assert parse_choice("walk") == {"walk": ("*",)} and parse_choice("") == {}


@pytest.mark.parametrize("text", ["style=", "=angry", "a b=c", "style=a=b"])
def test_malformed_choice_is_rejected(text: str) -> None:
    with pytest.raises(InputError, match="asks for no tag"):
        parse_choice(text)
