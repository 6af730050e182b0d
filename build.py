#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Try, test and package the GenMM extension: `python build.py demo | test | check | zip | ...`.

It needs only Python's standard library; Blender is installed as the `bpy` module into `.venv/blender-X.Y`.
It also runs on older and newer Pythons, to say which one to use.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import MappingProxyType

from building import benchmarks, browser, core_package, documentation, pictures, testing, tools
from building import release as releasing
from building.blender_modules import (
    RELEASES,
    ROOT,
    Refusal,
    Release,
    default_release,
    keeping_bytecode,
    ready,
    say,
    shown,
)
from building.staging import copy_changed, package_files

# --- Blender ----------------------------------------------------------------------------------------


def run_in_blender(release: Release, module: str, *arguments: str) -> int:
    """Run a Python module in the release, with the staged package and a separate Blender profile."""
    command, environment = blender_command(release, stage(), module, *arguments)
    return subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode


def blender_command(release: Release, staged: Path, module: str, *arguments: str) -> tuple[list[str], dict[str, str]]:
    """Return the command that runs a Python module in the release, and its environment."""
    environment = keeping_bytecode()
    environment["PYTHONPATH"] = os.pathsep.join((str(staged.parent), str(ROOT)))
    environment["BLENDER_USER_RESOURCES"] = str(ROOT / "build" / f"profile-{release.version}")
    # -P keeps the current folder off the path, so that the staged package is found first.
    return [ready(release), "-P", "-m", "bench.start", module, *arguments], environment


# --- The package ----------------------------------------------------------------------------------


def stage(folder: str = "stage") -> Path:
    """Copy the package, without links, to `genmm_addon` in a folder of `build`, and return that folder."""
    return copy_changed(package_files(), ROOT / "build" / folder / "genmm_addon")


def version() -> str:
    manifest = (ROOT / "blender_manifest.toml").read_text(encoding="utf-8")
    return str(re.findall(r'^version = "(.+)"', manifest, re.MULTILINE)[0])


def write_archive(target: Path, beside: Mapping[str, Path] = MappingProxyType({})) -> None:
    """Write the package as a zip whose bytes depend only on the files' names and contents.

    beside: further files by their names in the package.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(target, "w") as archive:
        for name, path in sorted((package_files() | dict(beside)).items()):
            entry = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
            entry.create_system = 3  # otherwise the zip names the system that made it
            entry.external_attr = 0o100644 << 16
            # Stored, since deflated data differ between builds of zlib.
            archive.writestr(entry, path.read_bytes(), compress_type=zipfile.ZIP_STORED)


def validator() -> list[str] | None:
    """Return the command of Blender's own validation: of the program (BLENDER, or on PATH), or of a module at hand."""
    program = os.environ.get("BLENDER") or shutil.which("blender")
    if program:
        answer = subprocess.run(
            [program, "--version"], capture_output=True, text=True, check=False, cwd=tempfile.gettempdir()
        ).stdout
        version = re.search(r"Blender (\d+)\.(\d+)", answer)
        if version and (int(version[1]), int(version[2])) >= (4, 2):
            return [program, "--command", "extension", "validate"]
        if "BLENDER" in os.environ:
            raise Refusal(f"{program} (from BLENDER) is not Blender 4.2 or newer; correct or unset the variable.")
    for release in RELEASES.values():
        scripts = release.folder.glob("[Ll]ib/**/bpy/*/scripts/addons_core/bl_pkg/cli/blender_ext.py")
        for script in scripts:
            return [str(release.interpreter), str(script), "validate"]
    return None


# --- The commands ---------------------------------------------------------------------------------


def demo(options: argparse.Namespace) -> int:
    arguments = ["--output", str(Path(options.output).resolve())]
    if options.input:
        arguments += ["--input", str(Path(options.input).resolve())]
    if options.on_beat:
        arguments.append("--on-beat")
    status = run_in_blender(chosen(options.blender)[0], "bench.pictures.demo", *arguments)
    if status not in (0, 1, 2):
        raise Refusal(f"Blender ended with status {status}; see {options.output}/blender.log for its output.")
    return status


def test(options: argparse.Namespace) -> int:
    """Run the tests in each release in turn; a whole suite takes all cores, a few tests one process."""
    if options.changed:
        options.pytest += testing.tests_of(testing.changed_files())
    if options.quick:
        tools.ready_tools()
        command = [tools.program("python"), "-m", "pytest", *testing.quick(), *options.pytest]
        return subprocess.run(command, cwd=ROOT, env=keeping_bytecode(), check=False).returncode
    # In a separate folder, so that an archive can be built while the tests run.
    releases, staged = chosen(*options.blender), stage("stage-of-tests")
    statuses = []
    # Further releases are installed, which takes one core half a minute each, while the tests of those before them run.
    installed = ThreadPoolExecutor(1).map(ready, releases)
    for release, _ in zip(releases, installed, strict=True):
        is_whole_suite = not testing.names_tests(options.pytest)
        arguments = testing.whole_suite(release, releases) if is_whole_suite else []
        say(f"Tests in Blender {release.version}")
        scratch = f"--basetemp={ROOT / 'build' / f'tests-{release.version}'}"
        command, environment = blender_command(release, staged, "pytest", scratch, *arguments, *options.pytest)
        if is_whole_suite:
            environment |= testing.ONE_THREAD
        statuses.append(subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode)
    return next(filter(None, statuses), 0)


def check(options: argparse.Namespace) -> int:
    """Run ruff and mypy; return the status of the first that finds something."""
    tools.ready_tools()
    commands = (
        ["ruff", "check", "."],
        ["ruff", "format", "--check", "."],
        ["mypy"],
        ["mypy", "--config-file", "tests/mypy.ini"],
    )
    # At the same time, since most of it is mypy, which takes one core each.
    runs = [
        subprocess.Popen([tools.program(name), *words], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        for name, *words in commands
    ]
    for run in runs:
        print(run.communicate()[0].decode(errors="replace"), end="", flush=True)
    return next((run.returncode for run in runs if run.returncode), 0)


def package(options: argparse.Namespace) -> int:
    target = ROOT / "dist" / f"genmm-{version()}.zip"
    write_command_help()
    write_archive(target, documentation.build_manual(ROOT / "build" / "manual"))
    print(f"{shown(target)}: {target.stat().st_size:,} bytes", flush=True)
    command = validator()
    if command is None:
        print("Not validated: no Blender is at hand (set BLENDER to its program, or run `build.py test` once).")
        return 0
    # A copy in the temporary folder, which a Blender in a separate file system can see, unlike this folder perhaps.
    with tempfile.TemporaryDirectory() as scratch:
        copy = shutil.copy(target, scratch)
        return subprocess.run([*command, copy], check=False, cwd=scratch).returncode


def release(options: argparse.Namespace) -> int:
    """Make the zip and its notes, check the platform's rules and print the remaining steps; return 1 if one fails."""
    if options.draw and run_in_blender(default_release(), "bench.pictures.platform_pictures", str(releasing.PLATFORM)):
        raise Refusal("The pictures of the platform could not be drawn: see the lines above.")
    status = package(options)
    target = ROOT / "dist" / f"genmm-{version()}.zip"
    notes = releasing.release_notes((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), version())
    place = target.with_suffix(".md")
    place.write_text(notes, encoding="utf-8")
    import tomllib  # not in the older Pythons that this file also runs on, to say which one to use

    with (ROOT / "blender_manifest.toml").open("rb") as manifest:
        broken = releasing.broken_rules(target, tomllib.load(manifest), notes)
    print(f"{shown(place)}: what is new")
    for sentence in broken or ["All rules that can be checked are kept."]:
        print(f"- {sentence}")
    older = ", ".join(pictures.older_than_their_sources())
    print(f"- Pictures older than what they show: {older or 'none'}.")
    print("What remains to be done by hand:", *releasing.REMAINING, sep="\n- ")
    return status or int(bool(broken))


def docs(options: argparse.Namespace) -> int:
    """Build the documentation for the web and for the package; first draw the engine's pictures again, if requested."""
    if options.draw and run_in_blender(default_release(), "bench.pictures.engine_pictures", str(pictures.FOLDER)):
        raise Refusal("The pictures of the engine could not be drawn: see the lines above.")
    write_command_help()
    documentation.build_site("site", ROOT / "build" / "site")
    manual = documentation.build_manual(ROOT / "build" / "manual")
    print(f"{shown(ROOT / 'build' / 'site')}/index.html, and {len(manual)} files of the manual that ships.")
    return 0


def write_command_help() -> None:
    """Make Blender's side write the help of all commands. Raise Refusal if it fails."""
    documentation.COMMANDS.parent.mkdir(parents=True, exist_ok=True)
    if run_in_blender(default_release(), "bench.command_help", str(documentation.COMMANDS)):
        raise Refusal("The help of the commands could not be written: see the lines above.")


def link(options: argparse.Namespace) -> int:
    folders = [Path(options.extensions)] if options.extensions else extension_folders()
    if not folders:
        raise Refusal("No Blender settings were found; start Blender 4.2 or newer once, or use --extensions FOLDER.")
    for folder in folders:
        place = folder / "genmm"
        if place.is_symlink() and place.resolve() == ROOT / "genmm_addon":
            print(f"{place} was linked already.")
            continue
        if place.exists() or place.is_symlink():
            raise Refusal(f"{place} already exists; remove that extension in Blender's preferences first.")
        folder.mkdir(parents=True, exist_ok=True)
        try:
            place.symlink_to(ROOT / "genmm_addon", target_is_directory=True)
        except OSError as error:
            raise Refusal(f"{place} could not be linked ({error.strerror}); Windows needs Developer Mode.") from error
        print(f"{place} -> {ROOT / 'genmm_addon'}")
    print("Now enable GenMM in Blender: Edit > Preferences > Add-ons.")
    return 0


def extension_folders() -> list[Path]:
    """Return the `user_default` repository of each Blender from 4.2 on that has settings on this machine."""
    if "BLENDER_USER_EXTENSIONS" in os.environ:
        return [Path(os.environ["BLENDER_USER_EXTENSIONS"]) / "user_default"]
    if "BLENDER_USER_RESOURCES" in os.environ:
        return [Path(os.environ["BLENDER_USER_RESOURCES"]) / "extensions" / "user_default"]
    if sys.platform == "win32":
        base = Path(os.environ["APPDATA"]) / "Blender Foundation" / "Blender"
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Application Support" / "Blender"
    else:
        base = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "blender"
    versions = [tuple(map(int, f.name.split("."))) for f in base.glob("*") if re.fullmatch(r"\d+\.\d+", f.name)]
    return [
        base / f"{major}.{minor}" / "extensions" / "user_default"
        for major, minor in sorted(versions)
        if (major, minor) >= (4, 2)
    ]


def bench(options: argparse.Namespace) -> int:
    module = f"bench.{benchmarks.kind_of(options)}"
    return run_in_blender(chosen(options.blender)[0], module, *benchmarks.arguments_of(options))


def soak(options: argparse.Namespace) -> int:
    return run_in_blender(chosen(options.blender)[0], "bench.soaking.soak", *options.rest)


def chosen(*versions: str | None) -> list[Release]:
    """Return the releases of these versions; all for "all", and the default one for none."""
    if "all" in versions:
        return list(RELEASES.values())
    named = [RELEASES[version] for version in versions if version]
    return named or [default_release()]


def parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(
        required=True, metavar="demo | test | pages | check | core | zip | docs | release | link | bench | soak"
    )

    command = commands.add_parser("demo", help="five variations of a character's motion, as a .blend and pictures")
    command.add_argument("--input", metavar="FILE", help="your own BVH, FBX, glTF or .blend")
    command.add_argument("--on-beat", action="store_true", help="a dance on drums whose tempo changes")
    command.add_argument("--output", metavar="FOLDER", default=str(ROOT / "build" / "demo"))
    command.add_argument("--blender", choices=RELEASES)
    command.set_defaults(run=demo)

    command = commands.add_parser(
        "test", help="run all tests that need no window; other arguments are passed to pytest"
    )
    command.add_argument("--blender", nargs="+", metavar="VERSION", default=[], help=f"{', '.join(RELEASES)} or all")
    command.add_argument("--quick", action="store_true", help="only fast tests without Blender: core, house rules")
    command.add_argument("--changed", action="store_true", help="only tests of files that differ from the main branch")
    command.set_defaults(run=test)

    command = commands.add_parser("pages", help="run the tests of the pages in a real browser, if available")
    command.set_defaults(run=browser.test_pages)

    command = commands.add_parser("check", help="run ruff and mypy")
    command.set_defaults(run=check)

    command = commands.add_parser("core", help="build the NumPy core as a package in dist/ and try it without Blender")
    command.set_defaults(run=core_package.core)

    command = commands.add_parser("zip", help="build the extension archive in dist/, validated if Blender is available")
    command.set_defaults(run=package)

    command = commands.add_parser("docs", help="build the documentation in build/site and check its links")
    command.add_argument("--draw", action="store_true", help="redraw the pictures of the engine")
    command.set_defaults(run=docs)

    command = commands.add_parser(
        "release", help="build the archive and notes, and check the rules of the extension platform"
    )
    command.add_argument("--draw", action="store_true", help="redraw the icon and the wide picture")
    command.set_defaults(run=release)

    command = commands.add_parser("link", help="develop in place: Blender loads genmm_addon from here")
    command.add_argument("--extensions", metavar="FOLDER", help="an extension repository's folder")
    command.set_defaults(run=link)

    command = commands.add_parser(
        "bench", help="measure times of reading, synthesis and writing, as JSON lines, or --quality"
    )
    benchmarks.add_options(command)
    command.add_argument("--blender", choices=RELEASES)
    command.set_defaults(run=bench)

    command = commands.add_parser("soak", help="run the long reliability tests; --quick runs a hundredth of them")
    command.add_argument("--blender", choices=RELEASES)
    command.set_defaults(run=soak)

    options, remaining = parser.parse_known_args(arguments)
    options.rest = remaining
    if remaining and options.run not in (test, soak, browser.test_pages):
        parser.error(f"unrecognized arguments: {' '.join(remaining)}")
    if options.run is bench and (fault := benchmarks.fault_of(options)):
        parser.error(fault)
    if options.run is test:
        # `--blender` takes all words that follow it, some of which may be for pytest.
        versions = [word for word in options.blender if re.fullmatch(r"[\d.]+|all", word)]
        options.pytest = [word for word in options.blender + remaining if word not in (*versions, "--")]
        options.blender = versions
        for word in set(versions) - {*RELEASES, "all"}:
            parser.error(f"Blender {word} is not supported; choose from {', '.join(RELEASES)} or all")
    return options


def main(arguments: list[str]) -> int:
    options = parse(arguments)
    try:
        return int(options.run(options))
    except Refusal as refusal:
        say(f"build.py: {refusal}")
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
