# SPDX-License-Identifier: GPL-3.0-or-later
"""`genmm generate`: the results for its inputs, and its messages on unusable ones."""

import json
from dataclasses import replace
from pathlib import Path

import bpy
import numpy as np
import pytest
from bvh_files import FRAMES, walker
from commands import Said, left_in, run, save, saved_character
from interface import new_action, new_character

from genmm_addon.command_line.processes.workers import SeedTask, synthesized
from genmm_addon.core import prepare, synthesize
from genmm_addon.core.constraints import NOTHING
from genmm_addon.core.evaluation import LegFlawKind
from genmm_addon.core.motion import load_motion
from genmm_addon.files.import_file import import_file
from genmm_addon.generation.generate import Request, compute, read
from genmm_addon.generation.measures import measures_of, store_measures
from genmm_addon.requests.part_values import add_part
from genmm_addon.requests.played_examples import played_examples

Capture = pytest.CaptureFixture[str]


pytestmark = pytest.mark.usefixtures("extension")


@pytest.fixture
def hero(tmp_path: Path) -> Path:
    return saved_character(tmp_path)[0]


@pytest.fixture
def bvh(tmp_path: Path) -> Path:
    path = tmp_path / "walker.bvh"
    path.write_text(walker())
    return path


def made(said: Said) -> Said:
    assert said.errors == [] and said.status == 0, said
    return said


def test_each_seed_is_the_motion_that_generate_makes(tmp_path: Path, capfd: Capture, hero: Path) -> None:
    rig = bpy.data.objects["Hero"]
    request = Request(rig, (played_examples(rig)[0],), frames=50, seeds=(3, 4))
    expected = [synthesis.motion for synthesis in compute(read(request, bpy.context.scene), request)]
    made(run(capfd, "generate", hero, "--frames", 50, "--seeds", "3-4", "-o", tmp_path / "{name}_{seed:03}.npz"))
    for seed, motion in zip((3, 4), expected, strict=True):
        found = load_motion(tmp_path / f"hero_{seed:03}.npz")
        for name, values in motion.channels().items():
            assert np.array_equal(found.channels()[name], values)


def test_panel_settings_stored_in_a_blend_file_are_used(tmp_path: Path, capfd: Capture) -> None:
    rig = new_character()
    settings = rig.genmm
    settings.frames, settings.loop, settings.seed, settings.variations = 45, "TRAVEL", 11, 2
    path = save(tmp_path, "set_up")
    made(run(capfd, "generate", path, "-o", tmp_path / "{seed}.npz"))
    assert {"11.npz", "12.npz"} <= left_in(tmp_path)
    assert load_motion(tmp_path / "11.npz").frames == 46  # a loop ends with its first frame repeated
    made(run(capfd, "generate", path, "--no-panel", "-o", tmp_path / "plain_{seed}.npz"))
    assert load_motion(tmp_path / "plain_0.npz").frames == 60


def test_a_settings_file_says_the_same_as_the_panel(tmp_path: Path, capfd: Capture) -> None:
    rig = new_character()
    settings = rig.genmm
    settings.frames, settings.parts, settings.patch_frames, settings.new_seed = 45, "PAINTED", 7, False
    add_part(settings, "Low", ["root", "spine"])
    add_part(settings, "High", ["spine", "arm", "hand", "head"])
    assert bpy.ops.genmm.export_settings(filepath=str(tmp_path / "own.json")) == {"FINISHED"}
    path = save(tmp_path, "hero")
    made(run(capfd, "generate", path, "-o", tmp_path / "panel_{seed}.npz"))
    made(
        run(capfd, "generate", path, "--no-panel", "--settings", tmp_path / "own.json", "-o", tmp_path / "f_{seed}.npz")
    )
    made(run(capfd, "generate", path, "--no-panel", "-o", tmp_path / "plain_{seed}.npz"))
    one, other, plain = ((tmp_path / f"{name}_0.npz").read_bytes() for name in ("panel", "f", "plain"))
    assert one == other != plain


def test_command_line_options_override_the_settings_file(tmp_path: Path, capfd: Capture, hero: Path) -> None:
    (tmp_path / "s.json").write_text(json.dumps({"genmm": "settings", "version": 2, "frames": 33, "loop": "TRAVEL"}))
    words = ("generate", hero, "--settings", tmp_path / "s.json", "-o", tmp_path / "{seed}.npz", "--seeds")
    made(run(capfd, *words, "1"))
    made(run(capfd, *words, "2", "--frames", 21, "--loop", "off"))
    assert load_motion(tmp_path / "1.npz").frames == 34
    assert load_motion(tmp_path / "2.npz").frames == 21


@pytest.mark.parametrize("ending", ["blend", "bvh", "fbx", "glb"])
def test_every_kind_of_file_holds_the_motion(tmp_path: Path, capfd: Capture, hero: Path, ending: str) -> None:
    words = ("generate", hero, "--frames", 40, "--fps", 30, "--seeds", 5, "-o")
    made(run(capfd, *words, tmp_path / "out.npz"))
    said = made(run(capfd, *words, tmp_path / f"out_{{seed}}.{ending}"))
    assert said.lines[-1] == "1 motion written."
    expected = load_motion(tmp_path / "out.npz")
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    bpy.context.scene.render.fps = 30
    character = import_file(tmp_path / f"out_5.{ending}", bpy.context)[0]
    example = next(spec for spec in character.examples if spec.action.name != "Hero Sway")
    found = read(Request(character.armature, (example,), frames=1), bpy.context.scene).reading.motions[0]
    assert found.frames * 30 / found.frames_per_second == pytest.approx(40, abs=2)
    # The rotation of each bone relative to its first frame does not depend on a format's axes.
    bones = [found.skeleton.names.index(name) for name in expected.skeleton.names]
    if found.frames == expected.frames:
        both = (expected.rotations, found.rotations[:, bones])
        wanted, turned = (np.abs(np.sum(turns[:-1] * turns[1:], axis=-1)) for turns in both)
        assert np.allclose(turned, wanted, atol=2e-4)


def test_all_seeds_may_go_into_one_blend(tmp_path: Path, capfd: Capture, hero: Path) -> None:
    made(run(capfd, "generate", hero, "--frames", 20, "--seeds", "0-2", "-o", tmp_path / "all.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "all.blend"))
    assert len([thing for thing in bpy.data.objects if thing.type == "ARMATURE"]) == 4
    assert bpy.context.scene.frame_end == 20


@pytest.mark.parametrize("ending", ["npz", "blend", "bvh", "fbx", "glb"])
def test_linked_character_is_copied_instead_of_changed(tmp_path: Path, capfd: Capture, hero: Path, ending: str) -> None:
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    with bpy.data.libraries.load(str(hero), link=True) as (source, target):
        target.objects = source.objects
    bpy.context.scene.collection.objects.link(target.objects[0])
    path = save(tmp_path, "linking")
    made(run(capfd, "generate", path, "--frames", 20, "-o", tmp_path / f"out.{ending}"))
    if ending == "blend":
        bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "out.blend"))
        assert {thing.name for thing in bpy.data.objects} == {"Hero", "Hero Gen 001"}
        said = run(capfd, "generate", path, "--result", "new-action", "-o", tmp_path / "x.blend")
        assert said.status == 2 and "is linked and cannot be changed" in said.errors[0]


def test_motion_file_is_an_example_with_the_rate_and_length_of_the_file(
    tmp_path: Path, capfd: Capture, bvh: Path
) -> None:
    made(run(capfd, "generate", bvh, "-o", tmp_path / "{name}_{seed}.npz"))
    motion = load_motion(tmp_path / "walker_0.npz")
    assert motion.frames == FRAMES and motion.frames_per_second == pytest.approx(30)
    made(run(capfd, "generate", bvh, "--fps", 60, "--seconds", 2, "-o", tmp_path / "fast.npz"))
    motion = load_motion(tmp_path / "fast.npz")
    assert motion.frames == 120 and motion.frames_per_second == pytest.approx(60)


def test_several_inputs_can_be_learned_from_together(tmp_path: Path, capfd: Capture, hero: Path, bvh: Path) -> None:
    other = tmp_path / "second.bvh"
    other.write_text(walker())
    said = made(run(capfd, "generate", bvh, other, "--together", "--frames", 80, "-o", tmp_path / "both.npz"))
    assert said.lines[-1] == "1 motion written."
    with np.load(tmp_path / "both.npz") as arrays:
        assert set(np.unique(arrays["source_examples"])) == {0, 1}


@pytest.mark.processes
def test_processes_change_nothing(hero: Path) -> None:
    rig = bpy.data.objects["Hero"]
    reading = read(Request(rig, (played_examples(rig)[0],), frames=1), bpy.context.scene)
    prepared = prepare(reading.reading.motions)
    task = SeedTask(prepared, 40, NOTHING)
    alone = {seed: synthesize(prepared, 40, seed=seed).motion.rotations.tobytes() for seed in range(9)}
    for jobs in (1, 2, 3):
        found = list(synthesized(task, range(9), jobs))
        assert [seed for seed, _ in found] == list(range(9))
        assert {seed: synthesis.motion.rotations.tobytes() for seed, synthesis in found} == alone


def test_nothing_is_written_over(tmp_path: Path, capfd: Capture, hero: Path) -> None:
    words = ("generate", hero, "--frames", 20, "--seeds", "0-3", "-o", tmp_path / "{seed}.npz")
    (tmp_path / "2.npz").write_text("mine")
    said = run(capfd, *words)
    assert said.status == 2
    assert said.errors == [
        f'"{tmp_path / "2.npz"}" already exists; use --resume to keep it or --force to overwrite it.'
    ]
    assert left_in(tmp_path) == {"hero.blend", "2.npz"} and (tmp_path / "2.npz").read_text() == "mine"
    made(run(capfd, *words, "--force"))
    assert load_motion(tmp_path / "2.npz").frames == 20


def test_resuming_generates_missing_and_broken_files(tmp_path: Path, capfd: Capture, hero: Path) -> None:
    words = ("generate", hero, "--frames", 20, "--seeds", "0-5", "--resume", "-o", tmp_path / "{seed}.npz")
    made(run(capfd, *words))
    before = {name: (tmp_path / name).read_bytes() for name in left_in(tmp_path)}
    times = {name: (tmp_path / name).stat().st_mtime_ns for name in before}
    (tmp_path / "1.npz").unlink()
    (tmp_path / "3.npz").write_bytes(before["3.npz"][:-40])
    said = made(run(capfd, *words))
    assert said.lines[-1] == "2 motions written, 4 already existed."
    assert {name: (tmp_path / name).read_bytes() for name in left_in(tmp_path)} == before
    again = {name for name in before if (tmp_path / name).stat().st_mtime_ns != times[name]}
    assert again == {"1.npz", "3.npz"}


@pytest.mark.parametrize("ending", ["blend", "bvh", "fbx", "glb", "npz"])
def test_a_file_that_was_cut_short_is_made_again(tmp_path: Path, capfd: Capture, hero: Path, ending: str) -> None:
    words = ("generate", hero, "--frames", 20, "--seeds", "0", "--resume", "-o", tmp_path / f"o{{seed}}.{ending}")
    made(run(capfd, *words))
    assert made(run(capfd, *words)).lines[-1] == "0 motions written, 1 already existed."
    path = tmp_path / f"o0.{ending}"
    path.write_bytes(path.read_bytes()[:-100])
    assert made(run(capfd, *words)).lines[-1] == "1 motion written."
    assert made(run(capfd, *words)).lines[-1] == "0 motions written, 1 already existed."


def test_one_bad_input_does_not_stop_the_others(tmp_path: Path, capfd: Capture, hero: Path, bvh: Path) -> None:
    cut = tmp_path / "cut.bvh"
    cut.write_text(walker()[:-200])
    said = run(capfd, "generate", cut, bvh, tmp_path / "none.bvh", "--frames", 20, "-o", tmp_path / "{name}.npz")
    assert said.status == 2
    assert [error.split('"')[1] for error in said.errors] == ["cut.bvh", str(tmp_path / "none.bvh")]
    assert "walker.npz" in left_in(tmp_path) and "cut.npz" not in left_in(tmp_path)


def test_json_is_all_that_a_machine_reads(tmp_path: Path, capfd: Capture, bvh: Path) -> None:
    said = made(run(capfd, "generate", bvh, "--seeds", "0-2", "--json", "-o", tmp_path / "{seed}.fbx"))
    note, *files, _ = said.objects
    assert [entry["event"] for entry in said.objects] == ["note", "file", "file", "file", "end"]
    assert note["text"].startswith("The examples last 1.3 s")
    assert [entry.get("seeds") for entry in files] == [[0], [1], [2]]
    assert files[-1]["progress"] == 1.0 and said.objects[-1]["written"] == 3
    assert all(isinstance(entry["visible_transitions"][0], list) for entry in files)
    assert not any("leg_flaws" in entry for entry in said.objects)
    said = run(capfd, "generate", tmp_path / "none.bvh", "--json")
    assert [entry["event"] for entry in said.objects] == ["error", "end"] and said.status == 2


def test_quiet_prints_only_errors(tmp_path: Path, capfd: Capture, bvh: Path) -> None:
    assert made(run(capfd, "generate", bvh, "--quiet", "-o", tmp_path / "a.npz")).lines == []
    assert run(capfd, "generate", bvh, "--quiet", "-o", tmp_path / "a.npz").errors != []


def test_progress_and_failures_are_printed_in_the_format_of_the_farm(tmp_path: Path, capfd: Capture, bvh: Path) -> None:
    said = made(run(capfd, "generate", bvh, "--seeds", "0-3", "--openjd", "-o", tmp_path / "{seed}.npz"))
    shares = [float(line.split()[1]) for line in said.lines if line.startswith("openjd_progress: ")]
    assert shares == [25.0, 50.0, 75.0, 100.0]
    assert "openjd_status: Generating from walker" in said.lines
    said = run(capfd, "generate", tmp_path / "none.bvh", "--openjd")
    assert said.lines[0].startswith("openjd_fail: There is no file")


WRONG = (
    (("--action", "Nod"), '"hero" has no action "Nod" for "Hero"; available: "Hero Sway".'),
    (("--armature", "Nobody"), 'There is no armature "Nobody" in the scene of "hero.blend"; available: "Hero".'),
    (("--frames", "-3"), "Length must lie between 1 and 1,048,574 frames."),
    (("--patch-size", "0"), "Snippet Length must be 1 frame or more."),
    (("--completeness", "much"), '"much" is not a number; correct --completeness.'),
    (("--weight", "spine"), '"spine" is not a weight; write the bone and its factor as Hips=2.'),
    (
        ("--preset", "Best"),
        'There is no preset "Best"; available: "Closer to the Example", "More Variety", "Paper Defaults".',
    ),
    (("--path", "Ring"), 'There is no object "Ring" in the file; check its name.'),
    (("--path-speed", "curve"), "No path is chosen; set a curve with --path."),
    (("--pins", "Blocking"), 'There is no action "Blocking"; available: "Hero Sway".'),
    (("--given-part", "Legs"), '"Hero" has no part "Legs"; choose another.'),
    (("--parts", "painted"), "The list of parts is empty; add one, or choose another value for Parts."),
    (("--mirror", "Hop: both"), '--mirror: no example matches "Hop"; available: "Hero Sway".'),
    (("--repetition", "Hop: cycle"), '--repetition: no example matches "Hop"; available: "Hero Sway".'),
    (
        ("--mirror", "both"),
        'The bones of "Hero" have no recognizable left and right sides, so its motion cannot be mirrored; use the '
        "examples As Recorded.",
    ),
    (("--root", "tail"), "The root 'tail' is not a joint of this skeleton; choose one of its joints."),
    (("--fps", "0"), "--fps must lie between 0.01 and 10,000."),
    (("--seconds", "nan"), '--seconds must be a number, not "nan".'),
    (("--settings", "none.json"), 'The settings file "none.json" cannot be read: No such file or directory.'),
)


@pytest.mark.every_case
@pytest.mark.parametrize(("words", "sentence"), WRONG, ids=[words[0] + words[1] for words, _ in WRONG])
def test_invalid_options_are_rejected_with_one_sentence(
    tmp_path: Path, capfd: Capture, hero: Path, words: tuple[str, ...], sentence: str
) -> None:
    said = run(capfd, "generate", hero, *words, "-o", tmp_path / "x.npz")
    assert (said.status, said.errors) == (2, [sentence])
    assert left_in(tmp_path) == {"hero.blend"}


@pytest.mark.parametrize(
    ("output", "words"),
    [
        ("{x}.npz", "is unknown; use"),
        ("a.txt", "cannot be written"),
        ("same.npz", "same file for every seed"),
        ("noending", "cannot be written"),
    ],
)
def test_invalid_output_is_rejected_in_one_sentence(
    tmp_path: Path, capfd: Capture, hero: Path, output: str, words: str
) -> None:
    said = run(capfd, "generate", hero, "--seeds", "0-1", "-o", tmp_path / output)
    assert said.status == 2 and len(said.errors) == 1 and words in said.errors[0]


def test_two_inputs_never_share_a_file(tmp_path: Path, capfd: Capture, bvh: Path) -> None:
    said = run(capfd, "generate", bvh, bvh, "-o", tmp_path / "{seed}.npz")
    assert said.status == 2 and "same file for every input" in said.errors[0]
    said = run(capfd, "generate", bvh, bvh, "-o", tmp_path / "{name}.npz")
    assert said.status == 2 and "written twice" in said.errors[0] and "walker.npz" in left_in(tmp_path)


@pytest.mark.parametrize(
    "words", [("generate", "--seeds", "x"), ("generate", "--loop", "round"), (), ("dance",), ("gather",)]
)
def test_wrong_words_are_status_2(capfd: Capture, words: tuple[str, ...]) -> None:
    assert run(capfd, *words).status == 2
    assert "Traceback" not in capfd.readouterr().err


def test_help_needs_no_file(capfd: Capture) -> None:
    for words in (("--help",), ("generate", "--help"), ("crowd", "--help"), ("info", "--help"), ("gather", "--help")):
        said = run(capfd, *words)
        assert said.status == 0 and any("usage: genmm" in line for line in said.lines)


def test_help_shows_the_main_options_first_and_all_on_request(capfd: Capture) -> None:
    for command, main, other in (("generate", "--seeds", "--patch-size"), ("crowd", "--agents", "--patch-size")):
        brief = run(capfd, command, "--help").lines
        assert len(brief) <= 45 and any(main in line for line in brief)
        assert not any(other in line for line in brief) and any("--help all" in line for line in brief)
        assert any(other in line for line in run(capfd, command, "--help", "all").lines)


def test_scripts_in_a_blend_never_run(tmp_path: Path, capfd: Capture) -> None:
    rig = new_character()
    text = bpy.data.texts.new("evil.py")
    text.write(f"open({str(tmp_path / 'owned')!r}, 'w')")
    text.use_module = True
    curve = rig.driver_add("location", 0)
    curve.driver.expression = f"open({str(tmp_path / 'owned')!r}, 'w').close() or 1.0"
    path = save(tmp_path, "evil")
    run(capfd, "generate", path, "--frames", 20, "-o", tmp_path / "x.npz")
    assert "owned" not in left_in(tmp_path)


def test_info_lists_characters_and_actions(tmp_path: Path, capfd: Capture, bvh: Path, hero: Path) -> None:
    said = made(run(capfd, "info", bvh, hero))
    assert any(line.startswith(f'    "walker": frames 1 to {FRAMES}, 1.3 s; ') for line in said.lines)
    answer = made(run(capfd, "info", hero, "--json")).answers
    (character,) = answer[0]["characters"]
    assert (character["name"], character["bones"]) == ("Hero", 5)
    assert [action["name"] for action in character["actions"]] == ["Hero Sway"]
    assert not character["actions"][0]["can_be_mirrored"]
    assert run(capfd, "info", tmp_path / "none.fbx").status == 2


def test_info_lists_visible_transitions_of_generated_actions_only(tmp_path: Path, capfd: Capture, hero: Path) -> None:
    made(run(capfd, "generate", hero, "--seeds", "1", "--frames", 90, "-o", tmp_path / "made.blend"))
    (found,) = made(run(capfd, "info", tmp_path / "made.blend", "--json")).answers
    generated = [action for character in found["characters"] for action in character["actions"] if action["generated"]]
    assert generated and all(isinstance(action["visible_transitions"], list) for action in generated)
    recorded = [
        action for character in found["characters"] for action in character["actions"] if not action["generated"]
    ]
    assert not any("visible_transitions" in action for action in recorded)


def test_reports_include_flaws_of_knees_and_feet(tmp_path: Path, capfd: Capture) -> None:
    bpy.ops.genmm.add_sample_character()
    source, target = tmp_path / "sample.blend", tmp_path / "made.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(source), copy=True)
    (file, _) = made(run(capfd, "generate", source, "--frames", 90, "--json", "-o", target)).objects
    assert [set(entry) <= {kind.value for kind in LegFlawKind} for entry in file["leg_flaws"]] == [True]
    (found,) = made(run(capfd, "info", target, "--json")).answers
    generated = [action for character in found["characters"] for action in character["actions"] if action["generated"]]
    assert generated and all(isinstance(action["leg_flaws"], dict) for action in generated)


def test_reports_include_the_frames_with_limbs_through_the_body(tmp_path: Path, capfd: Capture) -> None:
    bpy.ops.genmm.add_sample_character()
    source, target = tmp_path / "sample.blend", tmp_path / "made.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(source), copy=True)
    (file, _) = made(run(capfd, "generate", source, "--frames", 90, "--json", "-o", target)).objects
    assert file["frames_through_body"] == [0]
    (found,) = made(run(capfd, "info", target, "--json")).answers
    counts = [action.get("frames_through_body") for entry in found["characters"] for action in entry["actions"]]
    assert 0 in counts and None in counts
    ((result, measures),) = [(one, known) for one in bpy.data.actions if (known := measures_of(one)) is not None]
    store_measures(result, replace(measures, frames_through_body=12))
    bpy.ops.wm.save_as_mainfile(filepath=str(target), copy=True)
    assert "12 frames with limbs through the body" in "\n".join(made(run(capfd, "info", target)).lines)
    assert run(capfd, "gallery", tmp_path).status == 0
    page = (tmp_path / "gallery.html").read_text(encoding="utf-8").replace(" ", "")
    assert '"through":12' in page and '"through":null' in page


def test_gather_lists_all_files_or_names_the_missing_ones(tmp_path: Path, capfd: Capture, bvh: Path) -> None:
    out = tmp_path / "out"
    made(run(capfd, "generate", bvh, "--seeds", "0-3", "-o", out / "m_{seed:03}.npz"))
    words = ("gather", out, "--pattern", "m_{seed:03}.npz", "--seeds")
    said = run(capfd, *words, "0-5")
    assert said.status == 1 and said.errors == ["2 of 6 motions are missing or broken: m_004.npz, m_005.npz."]
    assert "motions.json" not in left_in(out)
    made(run(capfd, *words, "0-3"))
    listed = json.loads((out / "motions.json").read_text())["motions"]
    assert [entry["file"] for entry in listed] == [f"m_{seed:03}.npz" for seed in range(4)]


def test_an_action_is_chosen_by_its_name(tmp_path: Path, capfd: Capture) -> None:
    rig = new_character()
    new_action(rig, "Long", 90).use_fake_user = True
    path = save(tmp_path, "two")
    made(run(capfd, "generate", path, "--no-panel", "--action", "Hero Sway", "-o", tmp_path / "short.npz"))
    made(run(capfd, "generate", path, "--no-panel", "-o", tmp_path / "long.npz"))
    both = ("--action", "Long", "--action", "Hero Sway")
    made(run(capfd, "generate", path, "--no-panel", *both, "--frames", 300, "-o", tmp_path / "both.npz"))
    assert [load_motion(tmp_path / f"{name}.npz").frames for name in ("short", "long", "both")] == [60, 90, 300]
    with np.load(tmp_path / "both.npz") as arrays:
        assert set(np.unique(arrays["source_examples"])) == {0, 1}
