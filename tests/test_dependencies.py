# SPDX-License-Identifier: GPL-3.0-or-later
"""The house rules about who may import what, read from the source."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
CORE = sorted((ROOT / "core").glob("*.py"))
PACKAGE = ROOT / "genmm_addon"
ADDON = sorted(path for path in PACKAGE.rglob("*.py") if path.relative_to(PACKAGE).parts[0] != "core")
OURS = [ROOT / "build.py", *CORE, *ADDON, *(ROOT / "bench").rglob("*.py"), *(ROOT / "tests").rglob("*.py")]
BLENDER = {"bpy", "bpy_extras", "mathutils", "gpu", "gpu_extras", "blf", "bl_ui", "bl_operators", "addon_utils"}

LAYERS = ("animation", "character", "files", "sample", "generation", "crowd", "interface", "command_line")
"""The add-on's packages from the ground up: each may use those before it, and core."""
READS_AND_WRITES_RIGS = {"actions.py", "curves.py", "sampling.py", "writing.py"}
"""The modules that may touch F-curves."""


def names(paths: list[Path]) -> list[str]:
    return [path.relative_to(ROOT).as_posix() for path in paths]


def absolute_imports(path: Path) -> set[str]:
    """The top-level packages a file imports by their absolute names."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            found.add(node.module.split(".")[0])
    return found


def relative_imports(path: Path) -> set[tuple[int, str]]:
    """How many levels up, and from which module, a file imports relatively."""
    nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    return {(node.level, node.module or "") for node in nodes if isinstance(node, ast.ImportFrom) and node.level}


def attributes(path: Path) -> set[str]:
    return {
        node.attr for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.Attribute)
    }


@pytest.mark.parametrize("path", CORE, ids=names(CORE))
def test_core_imports_numpy_and_the_standard_library_alone(path: Path) -> None:
    assert absolute_imports(path) <= set(sys.stdlib_module_names) | {"numpy"}
    assert all(level == 1 for level, _ in relative_imports(path)), "core must not reach out of its folder"


@pytest.mark.parametrize("path", ADDON, ids=names(ADDON))
def test_the_add_on_imports_its_own_modules_relatively(path: Path) -> None:
    # Installed, the package is bl_ext.user_default.genmm: no absolute name of ours exists there.
    assert absolute_imports(path) <= set(sys.stdlib_module_names) | {"numpy"} | BLENDER
    depth = len(path.relative_to(PACKAGE).parts)
    assert all(level <= depth for level, _ in relative_imports(path))


@pytest.mark.parametrize("path", ADDON, ids=names(ADDON))
def test_the_packages_of_the_add_on_depend_on_those_below_them_alone(path: Path) -> None:
    own = path.relative_to(PACKAGE).parts[0]
    if own not in LAYERS:
        return
    used = {module.split(".")[0] for level, module in relative_imports(path) if level == 2}
    assert used <= {"core", *LAYERS[: LAYERS.index(own)]}


def test_importing_the_package_needs_no_blender() -> None:
    code = "import sys; sys.modules['bpy'] = None; import genmm_addon, genmm_addon.core"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)


@pytest.mark.parametrize("path", ADDON, ids=names(ADDON))
def test_only_the_modules_that_read_and_write_rigs_touch_curves(path: Path) -> None:
    touches = attributes(path) & {"fcurves", "keyframe_points", "channelbag", "keyframe_insert"}
    assert not touches or path.name in READS_AND_WRITES_RIGS


@pytest.mark.parametrize("path", [path for path in ADDON if path.name.startswith("panel")], ids=lambda path: path.name)
def test_panels_hold_no_logic(path: Path) -> None:
    assert "numpy" not in absolute_imports(path)
    reached = {part for _, module in relative_imports(path) for part in module.split(".")}
    assert not reached & {"core", "generate", "reading", "writing"}


def test_the_build_script_needs_the_standard_library_alone() -> None:
    assert absolute_imports(ROOT / "build.py") <= set(sys.stdlib_module_names)


@pytest.mark.parametrize("path", OURS, ids=names(OURS))
def test_every_file_names_its_license_and_stays_small(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()
    assert any("SPDX-License-Identifier: GPL-3.0-or-later" in line for line in lines[:2])
    assert len(lines) <= (450 if path.is_relative_to(ROOT / "tests") else 400)
