# SPDX-License-Identifier: GPL-3.0-or-later
"""Preparations stored on disk: read as they were made, made again if any input differs, and never an obstacle."""

import os
import time
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from legged import marcher
from motions import RATE, walker, walking, waver
from numpy.typing import NDArray

from genmm_addon.core import (
    Constraints,
    InputError,
    Labels,
    LabelStretch,
    Loop,
    Motion,
    Prepared,
    Settings,
    Synthesis,
    limb_partition,
    prepare,
    synthesize,
)
from genmm_addon.core.library import VARIABLE, prepare_kept
from genmm_addon.core.library.cache import kept, values_file
from genmm_addon.core.library.cache.encoding import CLASSES, Decoder, Encoder, Unknown
from genmm_addon.core.library.cache.values_file import KEY, read_values, signing_key, write_values

CLIPS = 72


@cache
def clips() -> tuple[Motion, ...]:
    """Return enough clips for results from a shortlist, and for a graph that keeps only a few edges."""
    return tuple((walker if seed % 2 else waver)(100, seed) for seed in range(CLIPS))


@cache
def few() -> tuple[Motion, ...]:
    return tuple(walker(120, seed) for seed in range(3))


@pytest.fixture(autouse=True)
def small_ones_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "LEAST_FRAMES", 1)
    monkeypatch.delenv(VARIABLE, raising=False)


class Counted:
    """Counter of how often examples are prepared."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.times = 0
        self.known: Prepared | None = None
        """Preparation to return in place of another equal one, in tests that only count the calls."""
        monkeypatch.setattr(kept, "prepare", self)

    def __call__(self, examples: Sequence[Motion], **asked: Any) -> Prepared:
        self.times += 1
        return self.known or prepare(examples, **asked)


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Counted:
    return Counted(monkeypatch)


def bytes_of(result: Synthesis) -> list[bytes]:
    arrays: list[NDArray[Any]] = [*result.motion.channels().values(), result.source_examples, result.source_frames]
    return [array.tobytes() for array in arrays]


def results_of(prepared: Prepared) -> list[list[bytes]]:
    """Return results of several kinds, which together use all parts of a preparation."""
    numbers = range(len(prepared.motions))
    labels = Labels(
        tuple((f"style={number % 2}",) for number in numbers),
        (LabelStretch("style=0", 0, 29), LabelStretch("style=1", 30, 59)),
    )
    asked = (Constraints(), Constraints(others=(labels,)), Constraints(loop=Loop.TRAVEL))
    return [bytes_of(synthesize(prepared, 60, seed=seed, constraints=one)) for one in asked for seed in (0, 1)]


def files_in(folder: Path) -> list[Path]:
    return sorted(folder.iterdir()) if folder.exists() else []


@pytest.mark.every_case
@pytest.mark.parametrize("asked", ["many", "rate", "parts", "settings", "feet"])
def test_stored_preparation_gives_byte_identical_results(tmp_path: Path, counted: Counted, asked: str) -> None:
    examples = {"many": clips(), "feet": (marcher()[0], marcher()[0].slice(20, 150))}.get(asked, few())
    ways: dict[str, dict[str, Any]] = {
        "rate": {"frames_per_second": 24.0},
        "parts": {"parts": limb_partition(few()[0].skeleton)},
        "settings": {"settings": Settings(contact_features=True, completeness=None, noise=0.5, patch_frames=7)},
    }
    how = ways.get(asked, {})
    expected = results_of(prepare(examples, **how))
    for _ in range(2):
        prepared = prepare_kept(examples, tmp_path / "kept", **how)
        assert results_of(prepared) == expected
    assert counted.times == 1


def test_cycle_that_lacks_frames_at_its_end_is_read_again(tmp_path: Path, counted: Counted) -> None:
    # Two frames more would be a cycle's whole round.
    phase, same = 2 * np.pi * np.arange(28) / 30 + 0.4, np.ones(28)
    lacking = walking(phase, 0.5 * same, 0.4 * same, 0 * same, 1.3 / 30 * same, RATE)
    made, read = (prepare_kept((lacking, lacking), tmp_path) for _ in range(2))
    assert made.examples.rounds.tolist() == [30.0, 30.0] and counted.times == 1
    assert bytes_of(synthesize(read, 60)) == bytes_of(synthesize(made, 60))


def test_stored_preparation_shares_arrays_like_a_new_one(tmp_path: Path) -> None:
    made = prepare_kept(clips(), tmp_path)
    read = prepare_kept(clips(), tmp_path)
    assert read is not made
    for one in (made, read):
        assert one.parts[0].bounds is one.stages[-1].bounds
    assert read.rows.strides == made.rows.strides
    assert all(one.rotations is own.rotations for one, own in zip(read.motions, clips(), strict=True))
    assert type(read.parts[0].graph) is type(made.parts[0].graph)
    assert read.settings == made.settings and vars(read.examples.root) == vars(made.examples.root)


def test_all_that_a_preparation_depends_on_is_asked_for(
    tmp_path: Path, counted: Counted, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepare_kept(few(), tmp_path)
    moved = few()[1].rotations.copy()
    moved[7, 0, 1] = np.nextafter(moved[7, 0, 1], np.float32(1))
    longer = replace(few()[0].skeleton, rest_translations=1.01 * few()[0].skeleton.rest_translations)
    others: list[tuple[Sequence[Motion], dict[str, Any]]] = [
        ((few()[0], replace(few()[1], rotations=moved), few()[2]), {}),
        ([replace(motion, skeleton=longer) for motion in few()], {}),
        (few()[::-1], {}),
        (few()[:2], {}),
        (few(), {"frames_per_second": 24.0}),
        (few(), {"settings": Settings(patch_frames=7)}),
        (few(), {"parts": limb_partition(few()[0].skeleton)}),
    ]
    for times, (examples, how) in enumerate(others, start=2):
        prepare_kept(examples, tmp_path, **how)
        assert counted.times == times
    monkeypatch.setattr(kept, "_program", lambda: "another version")
    prepare_kept(few(), tmp_path)
    assert counted.times == len(others) + 2
    monkeypatch.setattr(kept, "_rounding", lambda: "another processor")
    prepare_kept(few(), tmp_path)
    assert counted.times == len(others) + 3


def test_preparation_is_found_again_for_copied_and_used_examples(tmp_path: Path, counted: Counted) -> None:
    fresh = [walker(120, seed) for seed in range(3)]
    prepare_kept(fresh, tmp_path)
    synthesize(prepare_kept(fresh, tmp_path), 60)
    prepare_kept([walker(120, seed) for seed in range(3)], tmp_path)
    assert counted.times == 1


def test_noise_needs_no_other_preparation(tmp_path: Path, counted: Counted) -> None:
    prepare_kept(few(), tmp_path)
    noisy = prepare_kept(few(), tmp_path, settings=Settings(noise=0.7))
    assert counted.times == 1 and noisy.settings.noise == 0.7
    assert results_of(noisy) == results_of(prepare(few(), settings=Settings(noise=0.7)))


@pytest.mark.parametrize("damage", ["flipped first", "flipped last", "cut", "empty", "text", "longer"])
def test_damaged_file_is_replaced(tmp_path: Path, counted: Counted, damage: str) -> None:
    prepare_kept(few(), tmp_path)
    (path,) = files_in(tmp_path)
    whole = path.read_bytes()
    flipped = bytearray(whole)
    flipped[{"flipped first": 200}.get(damage, len(whole) - 70)] ^= 1
    path.write_bytes(
        {"cut": whole[:-64], "empty": b"", "text": b"no preparation at all", "longer": whole + b"\0"}.get(
            damage, bytes(flipped)
        )
    )
    again = prepare_kept(few(), tmp_path)
    assert counted.times == 2 and results_of(again) == results_of(prepare(few()))
    assert path.read_bytes() == whole
    prepare_kept(few(), tmp_path)
    assert counted.times == 2


def test_a_file_of_other_inputs_is_not_read_under_their_name(tmp_path: Path, counted: Counted) -> None:
    prepare_kept(few(), tmp_path)
    (path,) = files_in(tmp_path)
    content = path.read_bytes()
    prepare_kept(few()[::-1], tmp_path)
    (other,) = set(files_in(tmp_path)) - {path}
    other.write_bytes(content)
    assert results_of(prepare_kept(few()[::-1], tmp_path)) == results_of(prepare(few()[::-1]))
    assert counted.times == 3


def test_a_file_that_a_stranger_signed_is_made_again(
    tmp_path: Path, counted: Counted, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepare_kept(few(), tmp_path)
    (path,) = files_in(tmp_path)
    mine, key = path.read_bytes(), f".preparation{path.stem}"
    encoded, arrays = read_values(path, key)
    for signer, times in ((b"a stranger", 2), (signing_key(), 2)):
        path.unlink()
        with monkeypatch.context() as stranger, path.open("xb") as file:
            stranger.setattr(values_file, "signing_key", lambda signer=signer: signer)
            write_values(file, encoded, arrays, key)
        prepare_kept(few(), tmp_path)
        assert counted.times == times and path.read_bytes() == mine


def test_users_have_files_of_their_own_in_a_shared_folder(
    tmp_path: Path, counted: Counted, monkeypatch: pytest.MonkeyPatch
) -> None:
    for user in (b"one", b"another", b"one"):
        monkeypatch.setattr(values_file, "signing_key", lambda user=user: user)
        prepare_kept(few(), tmp_path)
    assert counted.times == 2 and len(files_in(tmp_path)) == 2


def test_the_key_is_kept_for_the_user_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def key_in(folder: Path) -> bytes:
        monkeypatch.setenv("XDG_DATA_HOME", str(folder))
        return signing_key.__wrapped__()  # as in another process

    monkeypatch.delenv(KEY, raising=False)
    monkeypatch.delenv("LOCALAPPDATA", raising=False)
    mine = [key_in(tmp_path) for _ in range(2)]
    (file,) = (tmp_path / "genmm").iterdir()
    assert mine == [file.read_bytes()] * 2 and len(mine[0]) == 64
    if os.name == "posix":
        assert file.stat().st_mode & 0o777 == 0o600
    assert len({*mine, key_in(file), key_in(file)}) == 3, "where no folder can keep it"
    monkeypatch.setenv(KEY, "of the farm")
    assert key_in(tmp_path) == b"of the farm"


def test_where_nothing_can_be_written_nothing_is_kept(tmp_path: Path, counted: Counted) -> None:
    (tmp_path / "a file").write_text("and no folder")
    for folder in (tmp_path / "a file", tmp_path / "missing" / "below", None):
        assert results_of(prepare_kept(few(), folder)) == results_of(prepare(few()))
    assert counted.times == 3 and [path.name for path in files_in(tmp_path)] == ["a file"]


def test_a_full_disk_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(kept, "write_values", full)
    prepare_kept(few(), tmp_path)
    assert files_in(tmp_path) == []


def test_nothing_is_kept_when_switched_off_or_for_few_frames(
    tmp_path: Path, counted: Counted, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, "off")
    prepare_kept(few(), tmp_path)
    monkeypatch.delenv(VARIABLE)
    monkeypatch.setattr(kept, "LEAST_FRAMES", 361)
    prepare_kept(few(), tmp_path)
    assert counted.times == 2 and files_in(tmp_path) == []
    monkeypatch.setattr(kept, "LEAST_FRAMES", 360)
    prepare_kept(few(), tmp_path)
    monkeypatch.setenv(VARIABLE, "off")
    prepare_kept(few(), tmp_path)
    assert counted.times == 4 and len(files_in(tmp_path)) == 1


def test_those_used_last_stay(tmp_path: Path, counted: Counted) -> None:
    old = time.time() - 1000
    for number in range(kept.MOST_KEPT):
        prepare_kept(few()[:1], tmp_path, frames_per_second=20.0 + number)
        for path in files_in(tmp_path):
            os.utime(path, (old + number, old + number))
    left = f".0.elsewhere.7.{'0' * 16}.unfinished.preparation"
    (tmp_path / left).write_bytes(b"half")
    mine = {"notes.txt", "mine.preparation", ".draft.unfinished", f"{'0' * 31}.preparation"}
    for name in (left, *mine):
        (tmp_path / name).write_text("of the user")
        os.utime(tmp_path / name, (0, 0))
    prepare_kept(few()[:1], tmp_path, frames_per_second=20.0)
    assert counted.times == kept.MOST_KEPT
    prepare_kept(few()[:1], tmp_path, frames_per_second=50.0)
    names = {path.name for path in files_in(tmp_path)}
    assert names > mine and left not in names and len(names - mine) == kept.MOST_KEPT
    prepare_kept(few()[:1], tmp_path, frames_per_second=20.0)
    assert counted.times == kept.MOST_KEPT + 1


def test_examples_that_do_not_fit_together_are_rejected_each_time(tmp_path: Path) -> None:
    for _ in range(2):
        with pytest.raises(InputError, match="joints or channels"):
            prepare_kept([few()[0], marcher()[0]], tmp_path)
    assert files_in(tmp_path) == []


def test_arrays_of_all_kinds_are_read_as_they_were(tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    block = random.normal(size=(4, 5, 6)).astype(np.float32)
    arrays = [
        block, block.transpose(2, 0, 1), np.asfortranarray(block[0]), block[::2, 1:3], np.array(3.5),
        np.zeros((0, 3), bool), np.array(["hips", "leg"]), np.broadcast_to(np.float64(2), (2, 3)),
    ]  # fmt: skip
    with (tmp_path / "values").open("xb") as file:
        write_values(file, {"of": "all kinds"}, arrays)
    encoded, found = read_values(tmp_path / "values")
    assert encoded == {"of": "all kinds"}
    for one, other in zip(arrays, found, strict=True):
        assert one.dtype == other.dtype and np.array_equal(one, other)
    assert [array.strides for array in found[:3]] == [array.strides for array in arrays[:3]]


def test_values_are_encoded_once_and_others_not_at_all() -> None:
    shared = np.arange(3)
    given = np.arange(5)
    value = (shared, shared, given, slice(1, None), None, 0.1, {(1, 2): [np.float32(0.1), float("inf")]})
    encoder = Encoder([given])
    encoded = encoder.encoded(value)
    again = Decoder(encoder.arrays, [given]).value(encoded)
    assert again[0] is again[1] and again[2] is given and again[3:6] == value[3:6]
    assert again[6] == value[6] and type(again[6][1, 2][0]) is np.float32
    for foreign in (Path(), object(), np.array([None])):
        with pytest.raises(Unknown):
            Encoder().encoded(foreign)
    assert len(set(CLASSES)) == len(CLASSES)


def test_source_that_cannot_be_read_is_no_obstacle(
    tmp_path: Path, counted: Counted, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As while another version of the extension is being installed."""

    def gone() -> str:
        raise FileNotFoundError("core/errors.py")

    monkeypatch.setattr(kept, "_program", gone)
    counted.known = prepare(few())
    assert prepare_kept(few(), tmp_path) is not None and counted.times == 1
    assert not any(tmp_path.iterdir())
