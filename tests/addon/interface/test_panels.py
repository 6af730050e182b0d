# SPDX-License-Identifier: GPL-3.0-or-later
"""The sidebar for a newcomer: few values, the animators' words, and switches that look off if they have no effect."""

import importlib
import re
from pathlib import Path
from typing import Any, cast

import bpy
import pytest
from bpy.types import UILayout
from interface import new_character
from recorded_layout import RecordedLayout, drawn

import genmm_addon
from genmm_addon.animation.pins.action import new_pins
from genmm_addon.core import InputError
from genmm_addon.interface.common.sidebar import SidebarPanel
from genmm_addon.interface.generate.direction_panels import GENMM_PT_given_part, GENMM_PT_path
from genmm_addon.interface.generate.operators import GENMM_OT_generate_motion
from genmm_addon.interface.generate.panels import GENMM_PT_generate, GENMM_PT_method, GENMM_PT_output
from genmm_addon.interface.help import operators as help_operators
from genmm_addon.interface.pins.panels import GENMM_PT_pins
from genmm_addon.requests.part_values import add_part
from genmm_addon.state.properties import alpha_of, coverage_of, ensure_settings

pytestmark = pytest.mark.usefixtures("extension")


for name in genmm_addon.MODULES:
    importlib.import_module(f"genmm_addon.{name}")  # so that its panels are registered here


def panels(base: type = SidebarPanel) -> list[type]:
    """Return all panels of the tab."""
    children: list[type] = base.__subclasses__()
    below = [found for child in children for found in panels(child)]
    return ([base] if issubclass(base, bpy.types.Panel) else []) + below


def in_viewport(panel: Any) -> bool:
    return bool(panel.bl_space_type == "VIEW_3D")


DOCS = Path(__file__).resolve().parents[3] / "docs"
PANELS = sorted(set(panels()), key=lambda panel: panel.__name__)


def test_main_panel_has_the_essential_settings_in_order() -> None:
    new_character()
    layout = drawn(GENMM_PT_generate, bpy.context)
    essential = ["length", "loop", "variations", "noise", "output"]
    assert [name for name in layout.values if name in essential] == essential
    assert layout.buttons[-1] == "genmm.generate_motion"
    assert len(layout.values) <= 12


def test_the_methods_parameters_are_in_advanced_alone() -> None:
    new_character()
    advanced = {
        "patch_frames",
        "coarsest_patches",
        "seed",
        "coverage",
        "channels",
        "root_bone",
        "facing",
    }
    assert advanced <= set(drawn(GENMM_PT_method, bpy.context).values)
    assert not advanced & set(drawn(GENMM_PT_generate, bpy.context).values)


def test_the_tab_has_a_panel_for_each_task() -> None:
    tops = {panel.bl_label for panel in PANELS if not getattr(panel, "bl_parent_id", "") and in_viewport(panel)}
    assert tops == {
        "New Motion", "Results", "Direct", "Edit This Action", "Bring Action Here",
        "Change", "Clean Up", "Play", "Library", "Crowd",
    }  # fmt: skip
    inside = {panel.bl_label for panel in PANELS if getattr(panel, "bl_parent_id", "") == "GENMM_PT_direct"}
    assert inside == {"Pins", "Keep Part", "Path", "Labels", "Waypoints", "Ground", "Hands and Feet", "Follow"}
    hidden = {"DEFAULT_CLOSED", "HIDE_HEADER"}
    closed = {panel.__name__ for panel in PANELS if hidden & getattr(panel, "bl_options", set())}
    below = [panel for panel in PANELS if getattr(panel, "bl_parent_id", "")]
    assert all({panel.__name__, panel.bl_parent_id} & closed for panel in below)
    assert {panel.bl_label for panel in below if panel.__name__ not in closed} == {"Pins", "Path"}


def test_adjust_last_operation_shows_some_eight_values() -> None:
    hero = new_character()
    bpy.ops.genmm.generate_motion(frames=40)
    recipe = next(thing for thing in bpy.data.objects if thing.get("genmm_recipe"))["genmm_recipe"]

    class Operator:
        layout = RecordedLayout()
        frames, use_path = 40, True
        recipe = ""

    Operator.recipe = recipe
    GENMM_OT_generate_motion.draw(cast(GENMM_OT_generate_motion, Operator()), bpy.context)
    assert 6 <= len(Operator.layout.values) <= 10
    assert {"frames", "variations", "seed", "output"} <= set(Operator.layout.values)
    assert hero.genmm.frames


@pytest.mark.parametrize("panel", [GENMM_PT_pins, GENMM_PT_given_part, GENMM_PT_path], ids=lambda panel: panel.bl_label)
def test_switch_looks_off_until_it_has_an_effect(panel: type) -> None:
    hero = new_character()
    empty = drawn(panel, bpy.context, "draw_header")
    assert empty.values == [] and empty.labels == [("", "CHECKBOX_DEHLT")]
    hero.genmm.pins_action = new_pins(hero)
    hero.genmm.completion_part = add_part(hero.genmm, "Arm", ["arm"]).name
    hero.genmm.path_curve = bpy.data.objects.new("Curve", bpy.data.curves.new("Curve", "CURVE"))
    filled = drawn(panel, bpy.context, "draw_header")
    assert len(filled.values) == 1 and filled.labels == []


def test_straight_line_settings_are_shown_only_for_older_files_that_use_them() -> None:
    hero = new_character()
    assert "thin_keys" not in drawn(GENMM_PT_output, bpy.context).values
    hero.genmm.thin_keys = True
    assert {"thin_keys", "tolerance"} <= set(drawn(GENMM_PT_output, bpy.context).values)
    hero.genmm.key_spacing = "SHARED"
    shown = drawn(GENMM_PT_output, bpy.context).values
    assert "thin_keys" not in shown and {"key_error_degrees", "key_error_percent"} <= set(shown)


# Words


WORDS = {
    "patch_frames": "Snippet Length",
    "coarsest_patches": "Reorder",
    "coverage": "Coverage",
    "noise": "Variety",
    "contact_features": "Match Foot Contacts",
    "key_spacing": "Simplify Keys",
    "thin_keys": "Straight Lines",
    "tolerance": "Max Error",
    "path_along": "Follow Curve",
}


def test_the_words_are_the_animators_and_the_stored_names_are_as_before() -> None:
    properties = new_character().genmm.bl_rna.properties
    assert {name: properties[name].name for name in WORDS} == WORDS
    loops = {item.identifier: item.name for item in properties["loop"].enum_items}
    assert loops == {"OFF": "Off", "TRAVEL": "Cycle", "IN_PLACE": "Cycle in Place"}
    parts = {item.identifier: item.name for item in properties["parts"].enum_items}
    assert parts == {"WHOLE_BODY": "Whole Body", "LIMBS": "Arms", "PAINTED": "Custom"}


@pytest.mark.parametrize(("name", "symbol"), [("patch_frames", "p)"), ("coarsest_patches", "(K)"), ("noise", "sigma")])
def test_the_papers_symbol_is_in_the_tooltip_alone(name: str, symbol: str) -> None:
    shown = new_character().genmm.bl_rna.properties[name]
    assert symbol in shown.description and symbol not in shown.name


# Coverage


def test_more_coverage_is_a_smaller_alpha() -> None:
    settings = new_character().genmm
    assert settings.coverage == pytest.approx(0.5)
    settings.coverage = 0.8
    assert settings.completeness < 0.01
    settings.completeness = 1.0
    assert settings.coverage < 0.02


@pytest.mark.parametrize("alpha", [0.0001, 0.01, 0.3, 100.0])
def test_coverage_and_alpha_stand_for_each_other(alpha: float) -> None:
    assert alpha_of(coverage_of(alpha)) == pytest.approx(alpha)


@pytest.mark.parametrize("coverage", [0.0, 1.0])
def test_the_ends_of_coverage_stay_within_the_range_of_alpha(coverage: float) -> None:
    settings = new_character().genmm
    settings.coverage = coverage
    stored = settings.bl_rna.properties["completeness"]
    assert stored.hard_min <= settings.completeness <= stored.hard_max


def test_settings_kept_in_the_scene_have_the_very_alpha(monkeypatch: pytest.MonkeyPatch) -> None:
    hero = new_character()
    hero.genmm.completeness = 0.0237
    monkeypatch.setattr("genmm_addon.state.properties.keeps_own_settings", lambda _: False)
    assert ensure_settings(hero, bpy.context.scene).completeness == hero.genmm.completeness


# Buttons


@pytest.mark.every_case
@pytest.mark.parametrize("panel", PANELS, ids=lambda panel: panel.__name__)
def test_buttons_get_values_that_their_operators_have(panel: Any) -> None:
    new_character()
    if not hasattr(panel, "poll") or panel.poll(bpy.context):
        drawn(panel, bpy.context)


# Help


@pytest.mark.parametrize("panel", PANELS, ids=lambda panel: panel.__name__)
def test_every_panel_has_a_page_of_help_and_a_button_for_it(panel: type) -> None:
    new_character()
    assert help_operators.page_path(panel.help_page).is_file()
    page = help_operators.read_page(panel.help_page, help_operators.LETTERS)
    assert page.title and page.lines
    assert all(len(line.text) <= help_operators.LETTERS for line in page.lines)
    assert not [line.text for line in page.lines if re.search(r"[*`\[\]]|\.md", line.text)]


def test_a_page_names_its_panel() -> None:
    for panel in PANELS:
        assert help_operators.read_page(panel.help_page, 72).title == panel.bl_label


def test_links_between_pages_lead_to_pages() -> None:
    shipped = sorted(help_operators.FOLDER.glob("*.md"))
    assert {page.stem for page in shipped} == {panel.help_page for panel in PANELS}
    for page in shipped:
        for target in re.findall(r"\]\(([^)]*)\)", page.read_text(encoding="utf-8")):
            assert (DOCS / "help" / target).is_file(), f"{page.name} links to {target}"


def test_help_page_of_each_panel_links_to_its_feature() -> None:
    for panel in PANELS:
        text = help_operators.page_path(panel.help_page).read_text(encoding="utf-8")
        assert "](../features" in text, f"{panel.help_page}.md links to no feature"


def test_the_button_draws_the_page_that_it_names() -> None:
    layout = RecordedLayout()
    help_operators.draw_page(cast(UILayout, layout), "pins")
    text = " ".join(text for text, _ in layout.labels)
    assert "Use Keys as Pins" in text and layout.labels[0] == ("Pins", "HELP")


@pytest.mark.parametrize("name", ["nothing", "../../blender_manifest", ""])
def test_a_page_that_is_missing_is_a_sentence(name: str) -> None:
    with pytest.raises(InputError, match=r"Help page .* was not found"):
        help_operators.page_path(name)
    with pytest.raises(RuntimeError, match=r"Help page .* was not found"):
        bpy.ops.genmm.show_help(page=name)
    layout = RecordedLayout()
    help_operators.draw_page(cast(UILayout, layout), name)
    assert layout.labels[0][1] == "ERROR"


def test_the_manual_opens_at_the_page_of_the_panel_where_it_is_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(help_operators, "MANUAL", tmp_path)
    assert help_operators.manual_page("pins") is None
    with pytest.raises(RuntimeError, match="The manual is not part of this installation"):
        bpy.ops.genmm.open_manual(page="pins")
    (tmp_path / "help").mkdir()
    (tmp_path / "index.html").touch()
    assert help_operators.manual_page("pins") == tmp_path / "index.html"
    (tmp_path / "help" / "pins.html").touch()
    assert help_operators.manual_page("pins") == tmp_path / "help" / "pins.html"
    (tmp_path / "features" / "directing").mkdir(parents=True)
    (tmp_path / "features" / "directing" / "pins.html").touch()
    assert help_operators.manual_page("pins") == tmp_path / "features" / "directing" / "pins.html"
    assert help_operators.manual_page("../secret") is None


def test_the_pages_lie_in_docs() -> None:
    shipped = {path.name: path.read_bytes() for path in help_operators.FOLDER.glob("*.md")}
    assert shipped == {path.name: path.read_bytes() for path in (DOCS / "help").glob("*.md")}
