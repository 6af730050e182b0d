# SPDX-License-Identifier: GPL-3.0-or-later
"""The package that build.py makes, and its messages if something is missing."""

import gc
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from bench.motions import clip_lists
from building import benchmarks, blender_modules, testing
from building.staging import copy_changed, package_files

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture
def build(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    # Imported by path, since another package of this name may be installed, and the folder build/ exists.
    found = importlib.util.spec_from_file_location("genmm_build", ROOT / "build.py")
    assert found and found.loader
    module = importlib.util.module_from_spec(found)
    monkeypatch.setitem(sys.modules, "genmm_build", module)
    found.loader.exec_module(module)
    yield module


def test_the_archive_has_the_same_bytes_whenever_it_is_made(build: ModuleType, tmp_path: Path) -> None:
    build.write_archive(tmp_path / "first.zip")
    source = next(path for path in build.package_files().values() if path.name == "__init__.py")
    os.utime(source)
    build.write_archive(tmp_path / "second.zip")
    assert (tmp_path / "first.zip").read_bytes() == (tmp_path / "second.zip").read_bytes()


@pytest.mark.skipif(shutil.which("git") is None or not (ROOT / ".git").exists(), reason="no repository here")
def test_every_clone_gives_the_same_archive(tmp_path: Path) -> None:
    archives = []
    for name, words in (("unix", ()), ("windows", ("-c", "core.autocrlf=true", "-c", "core.symlinks=false"))):
        clone = tmp_path / name
        subprocess.run(["git", "clone", "-q", "--depth=1", *words, ROOT.as_uri(), clone], check=True)
        code = f"import build, pathlib; build.write_archive(pathlib.Path({str(tmp_path / name)!r} + '.zip'))"
        subprocess.run([sys.executable, "-c", code], cwd=clone, check=True)
        archives.append((tmp_path / f"{name}.zip").read_bytes())
    assert archives[0] == archives[1]


def test_the_archive_holds_a_package_without_links_or_litter(build: ModuleType, tmp_path: Path) -> None:
    build.write_archive(tmp_path / "genmm.zip")
    with zipfile.ZipFile(tmp_path / "genmm.zip") as archive:
        names = archive.namelist()
        assert all(entry.external_attr >> 16 == 0o100644 for entry in archive.infolist())
    assert names == sorted(names)
    assert {"blender_manifest.toml", "LICENSE", "__init__.py", "core/__init__.py", "help/pins.md"} <= set(names)
    assert not [name for name in names if re.search(r"__pycache__|\.pyc$|^\.|^core$|^help$|^genmm_addon|^tests", name)]


def test_staged_files_equal_the_files_of_the_package(
    build: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = build.package_files()
    monkeypatch.setattr(build, "ROOT", tmp_path)
    monkeypatch.setattr(build, "package_files", lambda: files)
    staged = build.stage()
    found = {path.relative_to(staged).as_posix(): path for path in staged.rglob("*") if path.is_file()}
    assert found.keys() == files.keys()
    assert not any(path.is_symlink() for path in found.values())
    assert all(found[name].read_bytes() == path.read_bytes() for name, path in files.items())


def test_staging_again_keeps_only_current_files_and_their_compiled_modules(
    build: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "source.py").write_text("first", encoding="utf-8")
    files = {name: tmp_path / "source.py" for name in ("blender_manifest.toml", "a.py", "gone/b.py")}
    monkeypatch.setattr(build, "ROOT", tmp_path)
    monkeypatch.setattr(build, "package_files", lambda: files)
    staged = build.stage()
    for name in ("__pycache__/a.pyc", "gone/__pycache__/b.pyc"):
        (staged / name).parent.mkdir()
        (staged / name).touch()
    files.pop("gone/b.py")
    (tmp_path / "source.py").write_text("other", encoding="utf-8")
    assert build.stage() == staged
    assert {path.relative_to(staged).as_posix() for path in staged.rglob("*")} == {
        "blender_manifest.toml",
        "a.py",
        "__pycache__",
        "__pycache__/a.pyc",
    }
    assert (staged / "a.py").read_text(encoding="utf-8") == "other"
    assert (staged / "a.py").stat().st_mtime_ns == (tmp_path / "source.py").stat().st_mtime_ns


def test_the_links_in_the_source_tree_make_it_the_package_that_ships() -> None:
    assert os.readlink(ROOT / "genmm_addon" / "core") == "../core"
    assert os.readlink(ROOT / "genmm_addon" / "blender_manifest.toml") == "../blender_manifest.toml"
    assert os.readlink(ROOT / "genmm_addon" / "help") == "../docs/help"


def test_unsupported_python_is_rejected_with_the_supported_versions(
    build: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(blender_modules, "ROOT", tmp_path)
    monkeypatch.setattr(blender_modules, "find_python", lambda wanted: None)
    monkeypatch.setattr(build.sys, "version_info", (3, 14, 0))
    assert build.main(["demo"]) == 1
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "Python 3.11 or 3.13" in said


def test_missing_system_library_is_reported_with_the_package_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    message = "ImportError: libXi.so.6: cannot open shared object file: No such file or directory"
    failed = subprocess.CompletedProcess([], 1, "", f"Traceback\n{message}\n")
    monkeypatch.setattr(subprocess, "run", lambda *arguments, **options: failed)
    with pytest.raises(blender_modules.Refusal, match=r"libXi\.so\.6.*apt-get install .*libxi6"):
        blender_modules.check_import(blender_modules.RELEASES["5.0"])


def test_every_release_is_pinned() -> None:
    for release in blender_modules.RELEASES.values():
        assert release.requirements[0].startswith(f"bpy=={release.version}.")
    assert {"4.2", "4.5", "5.0"} <= set(blender_modules.RELEASES)


def test_the_package_is_linked_for_every_blender_with_extensions(
    build: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for version in ("3.6", "4.2", "5.2"):
        (tmp_path / "blender" / version).mkdir(parents=True)
    for name in ("BLENDER_USER_RESOURCES", "BLENDER_USER_EXTENSIONS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setattr(build.sys, "platform", "linux")
    assert build.main(["link"]) == 0
    assert build.main(["link"]) == 0, "a second time is not an error"
    links = sorted(path.relative_to(tmp_path / "blender") for path in tmp_path.rglob("genmm"))
    assert [path.as_posix() for path in links] == [f"{v}/extensions/user_default/genmm" for v in ("4.2", "5.2")]
    assert all((tmp_path / "blender" / path / "blender_manifest.toml").is_file() for path in links)


def test_an_installed_extension_is_not_replaced_by_a_link(
    build: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "genmm").mkdir()
    assert build.main(["link", "--extensions", str(tmp_path)]) == 1
    assert "remove that extension" in capsys.readouterr().err
    assert not (tmp_path / "genmm").is_symlink()


@pytest.mark.parametrize("between", [[], ["--"]])
def test_unknown_test_arguments_are_passed_to_pytest(build: ModuleType, between: list[str]) -> None:
    options = build.parse(["test", "--blender", "4.2", "5.0", *between, "tests/core", "-k", "pyramid"])
    assert options.blender == ["4.2", "5.0"]
    assert options.pytest == ["tests/core", "-k", "pyramid"]


def test_unknown_blender_version_is_rejected(build: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        build.parse(["test", "--blender", "3.6"])
    assert "Blender 3.6 is not supported" in capsys.readouterr().err


def test_an_option_of_other_measurements_is_refused(build: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    for asked, said in (
        (["--long", "900"], "--long goes with quality, not with speed"),
        (["--same", "new.json", "--clips", "walk"], "--clips goes with quality or places, not with same"),
        (["--transfer"], "--transfer needs the folder of clips"),
        (["--quality", "--motions", "one", "--motions", "two"], "--motions is given twice; give it once"),
        (["--quality", "--clips", "a", "--clips", "b"], "--clips is given twice; give it once, with all its values"),
    ):
        with pytest.raises(SystemExit):
            build.parse(["bench", *asked])
        assert said in capsys.readouterr().err


def test_measurements_are_given_their_options_with_whole_paths(build: ModuleType) -> None:
    asked = ["--quality", "--motions", "clips", "--mirrored", "--clips", "walk", "run", "--pin-sets", "4"]
    options = build.parse(["bench", *asked])
    assert benchmarks.kind_of(options) == "quality"
    assert benchmarks.arguments_of(options) == [
        *("--seeds", "20", "--motions", str(Path("clips").resolve()), "--clips", "walk", "run", "--mirrored"),
        *("--pin-sets", "4"),
    ]
    options = build.parse(["bench", "--library", "clips", "--transfer"])
    assert benchmarks.kind_of(options) == "transfer"
    assert benchmarks.arguments_of(options) == [str(Path("clips").resolve())]


def test_clips_are_chosen_of_the_library_below_a_folder_or_of_that_itself(tmp_path: Path) -> None:
    library = tmp_path / clip_lists.LIBRARY
    assert clip_lists.library_folder(tmp_path) is None and clip_lists.library_folder(library) is None
    library.mkdir()
    assert clip_lists.library_folder(tmp_path) == library == clip_lists.library_folder(library)


def test_each_kind_of_measurement_is_a_module_of_the_folder_bench(build: ModuleType) -> None:
    for kind in benchmarks.KINDS:
        options = build.parse(["bench", f"--{kind.name}", *(["x"] if kind.metavar else [])])
        module = ROOT / "bench" / benchmarks.kind_of(options)
        assert module.with_suffix(".py").exists() or (module / "__main__.py").exists()


@pytest.mark.parametrize(
    ("versions", "all_tests", "core", "addon"),
    [
        ("4.2 4.5 5.0 5.2", ["4.2"], ["4.2", "5.2"], ["4.2", "5.2"]),
        ("5.2 5.0 4.2", ["4.2"], ["4.2", "5.2"], ["4.2", "5.2"]),
        ("4.2 5.0", ["4.2"], ["4.2"], ["4.2", "5.0"]),
        ("5.0", ["5.0"], ["5.0"], ["5.0"]),
    ],
)
def test_the_oldest_and_the_newest_release_run_the_suite_and_core_runs_once_for_each_numpy(
    versions: str, all_tests: list[str], core: list[str], addon: list[str]
) -> None:
    releases = [blender_modules.RELEASES[version] for version in versions.split()]
    words = {release.version: testing.whole_suite(release, releases) for release in releases}
    assert [version for version in sorted(words) if "-m" not in words[version]] == all_tests
    between = {version for version in words if "tests/addon/animation" in words[version]}
    assert [version for version in sorted(words) if version not in between] == addon
    assert [v for v in sorted(words) if v not in between and "--ignore=tests/core" not in words[v]] == core
    assert [v for v in sorted(words) if "--first-cases" not in words[v]] == all_tests


def test_other_releases_run_the_first_case_of_a_test_and_all_that_are_marked() -> None:
    tests = ["tests/core/manner/test_edit.py", "-k", "requested_value or range_ends"]
    command = [sys.executable, "-m", "pytest", "--collect-only", "-p", "no:cacheprovider", *tests]
    all_cases, first_cases = (
        subprocess.run([*command, *further], cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
        for further in ([], ["--first-cases"])
    )
    left = [line for line in all_cases if "::" in line and line not in first_cases]
    assert len(left) == 1 and "test_the_range_ends" in left[0]


def test_no_garbage_is_looked_for_among_collected_tests() -> None:
    assert gc.get_freeze_count() > 10_000


def test_releases_in_between_run_tests_that_exist() -> None:
    assert all((ROOT / name).exists() for name in testing.BETWEEN)


def test_only_a_named_test_is_not_the_whole_suite() -> None:
    assert not testing.names_tests(["--durations=5", "-rs"])
    assert testing.names_tests(["tests/core/motion/test_npz.py::test_a_name"])
    assert testing.names_tests(["-k", "pyramid"])


def test_changed_files_bring_the_tests_that_use_them() -> None:
    found = testing.tests_of(["core/features/pyramid.py", "tests/core/motion/test_npz.py"])
    assert {"tests/core/features/test_pyramid.py", "tests/core/motion/test_npz.py"} <= set(found)
    assert "tests/test_dependencies.py" in found
    assert "tests/core/feet/test_leg_ik.py" not in found
    assert testing.tests_of(["tests/conftest.py"]) == ["tests"]


def test_quick_tests_do_not_import_bpy() -> None:
    for name in testing.WITHOUT_BLENDER:
        files = [ROOT / name] if name.endswith(".py") else sorted((ROOT / name).rglob("*.py"))
        assert files
        assert not [path for path in files if re.search(r"^(import|from) bpy", path.read_text("utf-8"), re.MULTILINE)]


def test_folder_that_is_not_a_copy_of_the_package_is_never_cleared(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("precious")
    (tmp_path / "link").symlink_to(tmp_path / "mine")
    for name in ("mine", "link"):
        with pytest.raises(FileExistsError):
            copy_changed(package_files(), tmp_path / name)
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["thesis.txt"]
    for _ in range(2):
        copied = copy_changed(package_files(), tmp_path / "copy")
        assert (copied / "blender_manifest.toml").is_file()
