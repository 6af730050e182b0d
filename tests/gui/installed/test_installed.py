# SPDX-License-Identifier: GPL-3.0-or-later
"""The zip installed, enabled, used by mouse, disabled and removed; no messages or data remain on the way."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from driving import BLENDER, Facts, build_archive, drive

# Messages of this Blender about the machine on which it runs.
KNOWN = ("Could not get a list of mounted file-systems", "EGL", "libEGL", "MESA", "XDG_RUNTIME_DIR", "Draco", "MeshOpt")


def blender(profile: Path, *words: str | Path) -> str:
    """Return the output of a command of the program, which must succeed."""
    environment = os.environ | {"BLENDER_USER_RESOURCES": str(profile)}
    command = [str(BLENDER), "--command", "extension", *map(str, words)]
    done = subprocess.run(command, cwd=profile, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def files_of(profile: Path) -> set[str]:
    return {
        path.relative_to(profile).as_posix() for path in profile.rglob("*genmm*") if "__pycache__" not in path.parts
    }


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_archive(tmp_path_factory.mktemp("archive"))


@pytest.fixture(scope="module")
def life(built: Path) -> Facts:
    found: Facts = {}

    def install(profile: Path) -> None:
        archive = shutil.copy(built, profile)
        blender(profile, "validate", archive)
        blender(profile, "install-file", "-r", "user_default", archive)
        os.remove(archive)
        found["installed"] = files_of(profile)
        found["profile"] = profile

    return found | drive("installed/drive_installed.py", install)


def test_it_is_there_once_it_is_installed(life: Facts) -> None:
    assert any(name.endswith("user_default/genmm") for name in life["installed"])


def test_enabling_registers_the_add_on_and_the_mouse_makes_a_character(life: Facts) -> None:
    enabled = life["enabled"]
    assert "GENMM_PT_generate" in enabled["types"] and "generate_motion" in enabled["operators"]
    assert enabled["tools"] and enabled["modules"]
    assert life["rigs"] == ["GenMM Sample", "GenMM Sample Gen 001"]


def test_disabling_leaves_nothing_behind(life: Facts) -> None:
    after, before = dict(life["after"]), dict(life["once"])
    # Blender keeps a copy of a tool's keymap, and Python keeps imported modules.
    for kept in ("modules", "keymap_items"):
        after.pop(kept), before.pop(kept)
    assert after == before
    assert not after["types"] and not after["tools"] and not any(after["properties"]) and not after["presets"]


def test_the_console_stays_silent(life: Facts) -> None:
    loud = [line for line in life["log"] if re.search(r"warning|error|traceback|exception", line, re.IGNORECASE)]
    assert [line for line in loud if not any(known in line for known in KNOWN)] == []


def test_removing_it_removes_all_of_it(life: Facts, built: Path) -> None:
    profile = Path(f"/tmp/genmm-removed-{os.getpid()}")
    profile.mkdir()
    try:
        archive = shutil.copy(built, profile)
        blender(profile, "install-file", "-r", "user_default", "-e", archive)
        os.remove(archive)
        assert files_of(profile)
        blender(profile, "remove", "user_default.genmm")
        assert files_of(profile) == set()
    finally:
        shutil.rmtree(profile)
