# SPDX-License-Identifier: GPL-3.0-or-later
"""Arguments of a command that cannot be understood, and inputs that stand for several files."""

from pathlib import Path

import bpy
import pytest
from bvh_files import walker
from commands import left_in, run, saved_character
from hypothesis import given
from hypothesis import strategies as st

from genmm_addon.command_line.arguments.parser import parser
from genmm_addon.command_line.inputs.opening import expanded
from genmm_addon.command_line.outputs.file_names import file_name
from genmm_addon.core import InputError, Settings
from genmm_addon.core.fields import settings_in
from genmm_addon.core.motion import load_motion
from genmm_addon.generation.direction import CompletionSpec, PathSpec, PinsSpec
from genmm_addon.generation.request import Request

pytestmark = pytest.mark.usefixtures("extension")

Capture = pytest.CaptureFixture[str]

WRONG = (
    (("generate", "--frames", "many"), '--frames must be a whole number, not "many".'),
    (("generate", "--fps", "fast"), '--fps must be a number, not "fast".'),
    (
        ("generate", "--jobs", "-3"),
        "--jobs: the number of processes must be 1 or more; leave the option out for one per core.",
    ),
    (("crowd", "-j", "x"), '--jobs: "x" is not a whole number.'),
    (
        ("generate", "--seeds", "x"),
        '--seeds: "x" is not a seed or range of seeds; write it as 7, 0-99 or 0-9,20,30-39.',
    ),
    (("generate", "--loop", "round"), '--loop: "round" is not one of off, travel, in-place.'),
    (("generate", "--up", "x"), '--up: "x" is not one of y, z.'),
    (("generate", "--force", "--resume"), "--resume and --force cannot be combined; use one of them."),
    (("generate", "--quiet=yes"), '--quiet does not accept a value; remove "yes".'),
    (("generate", "--fame", "3"), 'Unknown option "--fame"; see genmm generate --help.'),
    (
        ("library", "build", "a", "b", "-o", "c.npz"),
        'Unexpected argument "b"; see genmm library build --help.',
    ),
    (
        ("generate", "--path-", "3"),
        '"--path-" could be --path-speed, --path-facing, --path-height; write the option in full.',
    ),
    (("generate", "--seconds"), "--seconds needs a value; see genmm generate --help."),
    (("natural", "walk.bvh"), "--range, --coarse or --full is required; see genmm natural --help."),
    (("blend", "walk.bvh"), "--with or --library is required; see genmm blend --help."),
    ((), "COMMAND is required; see genmm --help."),
    (("gather", "x"), "gather needs a folder, --pattern and --seeds, or --picked with the favorites of a gallery."),
)


def test_each_word_of_an_option_stands_for_another_value() -> None:
    kinds = (Settings, Request, PathSpec, PinsSpec, CompletionSpec)
    options = [item.option for kind in kinds for item in settings_in(kind).values() if item.option is not None]
    worded = [option for option in options if option.words]
    assert {"--path-facing", "--path-height"} <= {option.flag for option in worded}
    for option in worded:
        assert len({value for _, value in option.words}) == len(option.words), option.flag


@pytest.mark.parametrize(("words", "sentence"), WRONG, ids=[" ".join(words) for words, _ in WRONG])
def test_malformed_command_lines_are_rejected_with_exactly_one_sentence(
    capfd: Capture, words: tuple[str, ...], sentence: str
) -> None:
    capfd.readouterr()
    said = run(capfd, *words)
    assert (said.status, said.errors) == (2, [sentence])


def test_inputs_are_read_on_both_sides_of_the_options() -> None:
    from genmm_addon.command_line.arguments.parser import parser

    between = parser().parse_args(["generate", "a.bvh", "--seeds", "0-1", "b.bvh", "--together", "c.bvh"])
    assert between.inputs == [Path("a.bvh"), Path("b.bvh"), Path("c.bvh")] and between.together
    needed = parser().parse_args(["measure", "a.npz", "--library", "all.npz", "b.npz"])
    assert needed.inputs == [Path("a.npz"), Path("b.npz")]


def test_no_usage_stands_before_the_sentence(capfd: Capture) -> None:
    from genmm_addon.command_line.command import main

    assert main(["generate", "--frames", "many"]) == 2
    told = capfd.readouterr()
    assert told.out == "" and len(told.err.splitlines()) == 1


def test_unknown_command_is_reported_with_the_available_ones(capfd: Capture) -> None:
    said = run(capfd, "dance")
    assert said.status == 2 and said.errors[0].startswith('Unknown command "dance"; choose from ')


@pytest.fixture
def clips(tmp_path: Path) -> Path:
    folder = tmp_path / "clips"
    (folder / "deep").mkdir(parents=True)
    for name in ("b.bvh", "a.BVH", "deep/c.bvh", ".a.unfinished.bvh"):
        (folder / name).write_text(walker())
    (folder / "notes.txt").write_text("of the shoot")
    return folder


def test_a_folder_is_the_motion_files_directly_in_it(clips: Path) -> None:
    assert expanded([clips]) == (clips / "a.BVH", clips / "b.bvh")


def test_a_pattern_is_the_motion_files_that_fit_it(clips: Path) -> None:
    assert expanded([clips / "*"]) == (clips / "a.BVH", clips / "b.bvh")
    assert expanded([clips / "**" / "?.bvh"]) == (clips / "b.bvh", clips / "deep" / "c.bvh")
    assert expanded([clips / "[ab].bvh", clips / "**" / "*.bvh"]) == (clips / "b.bvh", clips / "deep" / "c.bvh")


def test_existing_file_takes_precedence_over_a_pattern_of_its_name(clips: Path) -> None:
    odd = clips / "take[1].bvh"
    odd.write_text(walker())
    assert expanded([odd]) == (odd,)


def test_each_file_of_a_folder_and_a_pattern_is_made(tmp_path: Path, capfd: Capture, clips: Path) -> None:
    words = ("generate", clips, clips / "deep" / "*.bvh", "--frames", 20, "-o", tmp_path / "out" / "{name}.npz")
    said = run(capfd, *words)
    assert said.status == 0, said
    assert left_in(tmp_path / "out") == {"a.npz", "b.npz", "c.npz"}


def test_together_learns_from_all_files_of_a_pattern(tmp_path: Path, capfd: Capture, clips: Path) -> None:
    said = run(capfd, "generate", clips / "**/*.*", "--together", "--frames", 150, "-o", tmp_path / "both.npz")
    assert said.status == 0, said
    assert load_motion(tmp_path / "both.npz").frames == 150


def test_together_keeps_the_notes_of_every_file(tmp_path: Path, capfd: Capture, clips: Path) -> None:
    (clips / "b.bvh").write_text(walker(frame_time="0"))
    said = run(capfd, "generate", clips, "--together", "--frames", 30, "-o", tmp_path / "both.npz")
    assert said.status == 0 and any('"b.bvh" has a frame time of "0"' in line for line in said.told)


def test_info_looks_into_folders_and_patterns(capfd: Capture, clips: Path) -> None:
    said = run(capfd, "info", clips, clips / "**" / "c.*")
    assert [line.split(" (")[0] for line in said.lines if line.startswith(str(clips))] == [
        str(clips / "a.BVH"),
        str(clips / "b.bvh"),
        str(clips / "deep" / "c.bvh"),
    ]


def test_a_folder_or_pattern_without_motion_gets_a_sentence(tmp_path: Path, capfd: Capture, clips: Path) -> None:
    (clips / "empty").mkdir()
    for wrong, start in ((clips / "empty", "The folder "), (clips / "*.fbx", "The pattern ")):
        for command in ("generate", "info"):
            said = run(capfd, command, wrong)
            assert said.status == 2 and len(said.errors) == 1 and said.errors[0].startswith(start)


@pytest.mark.parametrize("name", ["x" * 256, "é" * 128, "a/" + "x" * 300 + "/b"])
def test_a_name_that_no_system_allows_gets_its_sentence(tmp_path: Path, capfd: Capture, name: str) -> None:
    hero, _ = saved_character(tmp_path)
    said = run(capfd, "generate", hero, "-o", tmp_path / f"{name}.npz")
    assert said.status == 2 and "longer than 255 bytes" in said.errors[0] and len(said.errors) == 1
    assert left_in(tmp_path) == {"hero.blend"}
    for ending in ("bvh", "blend"):
        said = run(capfd, "generate", tmp_path / f"{name}.{ending}")
        assert said.status == 2 and len(said.errors) == 1 and said.errors[0].startswith("There is no file")


def test_a_path_that_is_too_long_in_all_gets_its_sentence(tmp_path: Path, capfd: Capture) -> None:
    hero, _ = saved_character(tmp_path)
    said = run(capfd, "generate", hero, "-o", tmp_path / ("folder/" * 700) / "a.npz")
    assert said.status == 2 and "longer than 4,095 bytes" in said.errors[0]


@pytest.mark.slow
@given(st.text(max_size=300))
def test_no_name_from_a_file_is_too_long_for_a_system(text: str) -> None:
    path = file_name("{action}_{seed:04}.npz", {"name": "", "character": "", "action": text, "seed": 7})
    assert len(path.name.encode("utf-8", "surrogatepass")) <= 255


def test_an_output_with_several_long_names_is_refused() -> None:
    with pytest.raises(InputError, match="255 bytes"):
        file_name("{name}{action}.npz", {"name": "x" * 300, "action": "y" * 300})


def test_single_items_are_reported_in_the_singular(tmp_path: Path, capfd: Capture) -> None:
    hero, _ = saved_character(tmp_path)
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    said = run(capfd, "crowd", hero, "--agents", 1, "--frames", 20, "-o", tmp_path / "c.npz")
    assert said.lines[-1].startswith("1 agent written to ")
    said = run(capfd, "gather", tmp_path, "--pattern", "{seed}.npz", "--seeds", "4")
    assert said.errors == ["1 of 1 motion is missing or broken: 4.npz."]
    run(capfd, "generate", hero, "--frames", 20, "--seeds", "4", "-o", tmp_path / "{seed}.npz")
    said = run(capfd, "gather", tmp_path, "--pattern", "{seed}.npz", "--seeds", "4")
    assert said.lines[-1].startswith("The motion is present and listed in ")


def test_an_abbreviated_option_works_with_a_warning(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    words = ("generate", "x.bvh", "--see", "1-2", "--output", str(tmp_path / "{seed}.npz"))
    options = parser().parse_args(words)
    assert options.seeds == (1, 2)
    said = capfd.readouterr()
    assert said.err == "genmm: --see is short for --seeds; write it in full, since the next version requires that.\n"
    parser().parse_args(("generate", "x.bvh", "--seeds=1-2"))
    assert capfd.readouterr().err == ""


def test_no_processes_are_refused() -> None:
    for count in ("0", "-1"):
        with pytest.raises(InputError, match="must be 1 or more"):
            parser().parse_args(("generate", "x.bvh", "--jobs", count))


def test_wrong_arguments_are_reported_in_the_form_of_the_output(capfd: Capture) -> None:
    wrong = ("generate", "--frames", "abc")
    said = run(capfd, *wrong, "--openjd")
    assert said.status == 2 and said.lines == [f"openjd_fail: {said.errors[0]}"]
    said = run(capfd, *wrong, "--json")
    assert said.answers == [{"event": "error", "text": '--frames must be a whole number, not "abc".'}]


def test_a_star_in_the_name_of_an_action_stands_for_any_characters(tmp_path: Path, capfd: Capture) -> None:
    hero = saved_character(tmp_path)[0]
    said = run(capfd, "generate", hero, "--action", "*", "--frames", 40, "-o", tmp_path / "a.npz")
    assert said.status == 0, said.errors
    said = run(capfd, "generate", hero, "--action", "nobody*", "--frames", 40, "-o", tmp_path / "b.npz")
    assert said.status == 2 and 'has no action "nobody*"' in said.errors[0]
