# SPDX-License-Identifier: GPL-3.0-or-later
"""Preparations kept between presses of Generate: the same examples are prepared once, other inputs again."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import bpy
import pytest
from characters import data_names, make_character, make_request

from genmm_addon.animation.actions import fcurves_of
from genmm_addon.core import InputError, prepare
from genmm_addon.generation import generate as generate_module
from genmm_addon.generation.generate import PartMode, Request, generate
from genmm_addon.libraries import kept_preparation
from genmm_addon.libraries.kept_preparation import forget_preparation


@pytest.fixture
def prepared(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """Yield a list that gets the number of frames of each preparation."""
    made = list[int]()

    def counting(motions: Any, _: object, **how: Any) -> Any:
        made.append(sum(motion.frames for motion in motions))
        return prepare(motions, **how)

    monkeypatch.setattr(generate_module, "prepare_kept", counting)
    forget_preparation()
    yield made
    forget_preparation()


def keys_for(request: Request) -> list[tuple[str, int, float, float]]:
    """Return the keys of the first result of a request."""
    curves = fcurves_of(generate(bpy.context, request)[0].action)
    return [(one.data_path, one.array_index, key.co[0], key.co[1]) for one in curves for key in one.keyframe_points]


def test_generating_again_reuses_the_preparation_with_identical_results(prepared: list[int]) -> None:
    request = make_request(make_character())
    keys_for(replace(request, seeds=(1,)))
    second = keys_for(replace(request, seeds=(2,)))
    assert len(prepared) == 1
    forget_preparation()
    assert keys_for(replace(request, seeds=(2,))) == second
    assert len(prepared) == 2


def test_a_moved_key_is_seen(prepared: list[int]) -> None:
    character = make_character()
    request = make_request(character)
    keys_for(request)
    (curve, *_) = fcurves_of(character.walk)
    curve.keyframe_points[3].co.y += 0.25
    moved = keys_for(request)
    assert len(prepared) == 2
    forget_preparation()
    assert keys_for(request) == moved


def test_changed_settings_and_parts_need_a_new_preparation_but_noise_does_not(prepared: list[int]) -> None:
    request = make_request(make_character())
    keys_for(request)
    keys_for(request)
    assert len(prepared) == 1
    noisy = replace(request, settings=replace(request.settings, noise=3.0))
    heard = keys_for(noisy)
    assert len(prepared) == 1
    keys_for(replace(request, settings=replace(request.settings, patch_frames=7)))
    keys_for(replace(request, part_mode=PartMode.LIMBS))
    assert len(prepared) == 3
    forget_preparation()
    assert keys_for(noisy) == heard


def test_another_character_with_the_same_action_gets_a_separate_result(prepared: list[int]) -> None:
    first, second = make_character(), make_character()
    keys_for(make_request(first))
    before = data_names()
    (result,) = generate(bpy.context, make_request(second))
    assert result.object not in (first.armature, second.armature) and data_names() != before


def test_long_examples_are_not_kept(prepared: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_preparation, "MOST_FRAMES", 10)
    request = make_request(make_character())
    keys_for(request)
    keys_for(request)
    assert len(prepared) == 2


def test_failed_preparation_is_not_kept(prepared: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    request = make_request(make_character())

    def refusing(*_: Any, **__: Any) -> Any:
        raise InputError("Nothing.")

    with monkeypatch.context() as broken:
        broken.setattr(generate_module, "prepare_kept", refusing)
        with pytest.raises(InputError):
            generate(bpy.context, request)
    keys_for(request)
    assert len(prepared) == 1
