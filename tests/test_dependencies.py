# SPDX-License-Identifier: GPL-3.0-or-later
"""The house rules: allowed imports, access to F-curves, and sizes of files and folders."""

import configparser
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import house_rules
import pytest
from house_rules import (
    BLENDER,
    FEATURES,
    LAYERS,
    LICENSE,
    MOST_LINES,
    MOST_LINES_OF_A_FOLDER,
    MOST_LINES_OF_TESTS,
    ROOMS,
    TOUCHES_CURVES,
)

ROOT = Path(__file__).resolve().parents[1]
CORE, ADDON, BENCH, TESTS = (ROOT / name for name in ("core", "genmm_addon", "bench", "tests"))


def test_core_imports_numpy_and_the_standard_library_alone() -> None:
    assert house_rules.foreign_imports(CORE, {"numpy"}) == []


def test_add_on_imports_its_modules_relatively() -> None:
    # The installed package is bl_ext.user_default.genmm, so absolute names of ours do not exist there.
    assert house_rules.foreign_imports(ADDON, BLENDER | {"numpy"}) == []


def test_the_packages_of_the_add_on_depend_on_those_below_them_alone() -> None:
    assert house_rules.upward_imports(ADDON, LAYERS) == []
    assert {path.parent.name for path in ADDON.glob("*/__init__.py")} == {*LAYERS, "core"}


def test_the_features_of_the_interface_depend_on_those_below_them_alone() -> None:
    assert house_rules.upward_imports(ADDON / "interface", FEATURES) == []
    assert {path.parent.name for path in (ADDON / "interface").glob("*/__init__.py")} == set(FEATURES)


def test_the_command_line_and_the_interface_know_nothing_of_each_other() -> None:
    assert house_rules.upward_imports(ADDON, ("interface", "command_line")) == []
    assert house_rules.upward_imports(ADDON, ("command_line", "interface")) == []


def test_the_packages_of_core_depend_on_those_below_them_alone() -> None:
    assert house_rules.upward_imports(CORE, ROOMS) == []
    assert {path.parent.name for path in CORE.glob("*/__init__.py")} == set(ROOMS)


def test_the_synthesis_names_no_kind_of_constraint() -> None:
    assert house_rules.kinds_of_constraints_named(CORE) == []


def test_users_of_core_import_only_from_its_public_packages() -> None:
    users = (ADDON, BENCH, TESTS / "addon", TESTS / "gui")
    assert [line for folder in users for line in house_rules.deep_imports(folder, CORE)] == []


def test_no_module_imports_itself_by_way_of_others() -> None:
    assert house_rules.circles(CORE) + house_rules.circles(ADDON) == []


def test_only_the_modules_that_read_and_write_rigs_touch_curves() -> None:
    assert house_rules.touching_curves(ADDON, TOUCHES_CURVES) == []
    assert all((ADDON / name).is_file() for name in TOUCHES_CURVES)


def test_panels_hold_no_logic() -> None:
    assert house_rules.panels_with_logic(ADDON) == []


def test_the_build_script_needs_the_standard_library_alone() -> None:
    assert house_rules.absolute_imports(ROOT / "build.py") <= house_rules.STANDARD | {"building"}
    foreign = house_rules.foreign_imports(ROOT / "building", set())
    # These two run inside MkDocs, in an environment of its own.
    inside_mkdocs = ("building/site/docstrings.py:", "building/site/hooks.py:")
    assert [line for line in foreign if not line.startswith(inside_mkdocs)] == []


def test_importing_the_package_needs_no_blender() -> None:
    code = "import sys; sys.modules['bpy'] = None; import genmm_addon, genmm_addon.core"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)


def test_every_file_names_its_license() -> None:
    assert [
        name
        for folder in (CORE, ADDON, BENCH, TESTS, ROOT / "building")
        for name in house_rules.without_license(folder)
    ] == []
    assert LICENSE in (ROOT / "build.py").read_text(encoding="utf-8").splitlines()[1]


def test_every_file_stays_small() -> None:
    assert [name for folder in (CORE, ADDON, BENCH) for name in house_rules.too_long(folder, MOST_LINES)] == []
    assert house_rules.too_long(TESTS, MOST_LINES_OF_TESTS) == []
    assert len((ROOT / "build.py").read_text(encoding="utf-8").splitlines()) <= MOST_LINES


def test_no_folder_is_a_flat_list_of_files() -> None:
    assert [name for folder in (CORE, ADDON, BENCH, TESTS) for name in house_rules.too_full(folder)] == []


def test_no_folder_is_made_for_one_module() -> None:
    assert [name for folder in (CORE, ADDON) for name in house_rules.lone_modules(folder)] == []


def test_all_tests_have_different_names() -> None:
    # Pytest imports them by their bare names, and reports the second of two with one name only at the end of a run.
    names = Counter(path.name for path in TESTS.rglob("test_*.py"))
    assert [name for name, count in names.items() if count > 1] == []


def test_docstrings_are_statements_and_ask_no_questions() -> None:
    folders = (CORE, ADDON, BENCH, TESTS, ROOT / "building")
    assert [line for folder in folders for line in house_rules.docstrings_that_ask(folder)] == []
    assert house_rules.questions_in(ROOT / "build.py") == []


def test_all_tests_are_type_checked_and_no_module_has_special_rules() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["mypy"]
    by_themselves = configparser.ConfigParser()
    by_themselves.read(TESTS / "mypy.ini", encoding="utf-8")
    patterns = [*settings["files"], *by_themselves["mypy"]["files"].split(", ")]
    checked = {path for pattern in patterns for path in ROOT.glob(pattern)}
    assert [path for path in house_rules.python_files(TESTS) if not checked & {path, *path.parents}] == []
    relaxed = [name for rules in settings["overrides"] for name in rules["module"]]
    assert relaxed and all(name.endswith(".*") for name in relaxed)


def test_names_in_the_packages_of_core_are_those_of_the_literature() -> None:
    # The fields of settings describe the window, where the word's everyday meaning is allowed.
    rooms = [room for room in ROOMS if room != "fields"]
    assert [name for room in rooms for name in house_rules.superseded_names(CORE / room)] == []


def test_names_in_the_add_on_are_those_of_the_literature() -> None:
    assert house_rules.superseded_names(ADDON, everyday=house_rules.EVERYDAY_WORDS) == []


def test_names_in_the_bench_are_those_of_the_literature() -> None:
    assert house_rules.superseded_names(ROOT / "bench", everyday=("run",)) == []


def test_no_name_that_is_gone_stays_an_exception() -> None:
    paths = [*house_rules.python_files(CORE), *house_rules.python_files(ADDON)]
    used = {name for path in paths for name in house_rules._names(path)}
    assert set(house_rules.LITERAL_NAMES) - used == set()
    words = {word for name in used for word in house_rules.words_of(name)}
    assert set(house_rules.EVERYDAY_WORDS) - words == set()


OFFENDERS: dict[str, tuple[str, Callable[[Path], list[str]]]] = {
    "foreign_imports": ("import scipy", lambda folder: house_rules.foreign_imports(folder, {"numpy"})),
    "outside": ("from ....other import name", lambda folder: house_rules.foreign_imports(folder, {"numpy"})),
    "upward_imports": ("from ...top import name", lambda folder: house_rules.upward_imports(folder, ("room", "top"))),
    "deep_imports": ("from ...core.room.inner import name", lambda folder: house_rules.deep_imports(folder, CORE)),
    "kinds_of_constraints_named": (
        "from ...constraints.loop import Loop",
        lambda folder: house_rules.kinds_of_constraints_named(folder),
    ),
    "circles": ("from . import other", lambda folder: house_rules.circles(folder)),
    "touching_curves": ("action.fcurves", lambda folder: house_rules.touching_curves(folder, {"panel.py"})),
    "panels_with_logic": ("from ...core import name", house_rules.panels_with_logic),
    "without_license": ("", house_rules.without_license),
    "too_long": ("\n" * (MOST_LINES + 1), lambda folder: house_rules.too_long(folder, MOST_LINES)),
    "superseded_names": ("best_cut = 1", house_rules.superseded_names),
    "docstrings_that_ask": ("def name():\n    '''Whether it is.'''", house_rules.docstrings_that_ask),
}


@pytest.mark.parametrize("rule", OFFENDERS)
def test_a_rule_sees_an_offender_in_a_sub_folder(rule: str, tmp_path: Path) -> None:
    text, offenders = OFFENDERS[rule]
    deep = tmp_path / "tree" / "room" / "inner"
    deep.mkdir(parents=True)
    header = f"# {LICENSE}\n"
    (deep / "other.py").write_text(f"{header}from . import panel\n", encoding="utf-8")
    (deep / "panel.py").write_text(header, encoding="utf-8")
    assert offenders(tmp_path / "tree") == []
    (deep / "panel.py").write_text(text, encoding="utf-8")
    assert any("panel.py" in line for line in offenders(tmp_path / "tree"))


def test_a_folder_is_full_with_one_line_too_many(tmp_path: Path) -> None:
    (tmp_path / "room").mkdir()
    (tmp_path / "room" / "half.py").write_text("pass\n" * MOST_LINES_OF_A_FOLDER)
    assert house_rules.too_full(tmp_path) == []
    (tmp_path / "room" / "more.py").write_text("pass\n")
    assert house_rules.too_full(tmp_path) == [f"{tmp_path.name}/room: {MOST_LINES_OF_A_FOLDER + 1} lines"]


def test_a_module_that_has_a_folder_to_itself_is_found(tmp_path: Path) -> None:
    rooms = {"lone": ["only"], "two": ["one", "other"], "with_room": ["only"], "with_room/inner": ["a", "b"]}
    for folder, names in rooms.items():
        (tmp_path / folder).mkdir()
        for name in ("__init__", *names):
            (tmp_path / folder / f"{name}.py").write_text("")
    assert house_rules.lone_modules(tmp_path) == [f"{tmp_path.name}/lone"]
