# SPDX-License-Identifier: GPL-3.0-or-later
"""Archives of arrays from any source: read as NumPy writes them, and refused before anything large is unpacked."""

import io
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from motions import walker

from bench.soaking.forging import damaged, forged_archive
from genmm_addon.core import InputError, Motion, load_motion, save_motion
from genmm_addon.core.library import Clip, library_of, load_library, save_library
from genmm_addon.core.library.library_file import library_arrays
from genmm_addon.core.motion.npz import motion_arrays, save_arrays
from genmm_addon.core.storage import Malformed, read_arrays

FORMS = {"heights": "f T 3", "names": "U J"}
ARRAYS: dict[str, Any] = {"heights": np.arange(6.0).reshape(2, 3), "names": np.array(["hips", "leg"])}


def refused(path: Path) -> None:
    with pytest.raises(Malformed):
        read_arrays(path, FORMS)


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
@pytest.mark.parametrize(
    "heights", [np.zeros((0, 3)), np.asfortranarray(ARRAYS["heights"]), ARRAYS["heights"].astype(">f4")]
)
def test_arrays_written_by_numpy_are_read(tmp_path: Path, save: Callable[..., None], heights: Any) -> None:
    save(tmp_path / "a.npz", **{**ARRAYS, "heights": heights})
    found = read_arrays(tmp_path / "a.npz", FORMS)
    assert np.array_equal(found["heights"], heights) and found["names"].tolist() == ["hips", "leg"]


@pytest.mark.parametrize(
    "other",
    [
        {"heights": np.zeros((2, 4))}, {"heights": np.zeros(3)}, {"heights": np.zeros((2, 3), int)},
        {"heights": np.full((2, 3), np.nan)}, {"heights": np.full((2, 3), -np.inf)}, {"names": np.array([1, 2])},
        {"names": np.array([None, {}])}, {"names": np.array([b"hips"])}, {"heights": np.zeros((2, 3), complex)},
        {"heights": np.zeros(2, [("a", "f4", 3)])}, {"names": np.array([0xD800], np.uint32).view("<U1")},
        {"names": np.array([0x110000], np.uint32).view("<U1")},
    ],
)  # fmt: skip
def test_arrays_of_other_kinds_shapes_and_values_are_refused(tmp_path: Path, other: dict[str, Any]) -> None:
    np.savez(tmp_path / "a.npz", **{**ARRAYS, **other})
    refused(tmp_path / "a.npz")


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_methods_of_packing_that_numpy_does_not_use_are_refused(tmp_path: Path, method: int) -> None:
    with zipfile.ZipFile(tmp_path / "a.npz", "w", method) as archive:
        for name, values in ARRAYS.items():
            entry = io.BytesIO()
            np.save(entry, values)
            archive.writestr(f"{name}.npy", entry.getvalue())
    refused(tmp_path / "a.npz")


def test_an_encrypted_archive_and_one_within_another_are_refused(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", **ARRAYS)
    data = bytearray((tmp_path / "a.npz").read_bytes())
    for mark, offset in ((b"PK\x01\x02", 8), (b"PK\x03\x04", 6)):
        data[data.find(mark) + offset] |= 1
    (tmp_path / "encrypted.npz").write_bytes(data)
    refused(tmp_path / "encrypted.npz")
    with zipfile.ZipFile(tmp_path / "outer.npz", "w") as archive:
        for name in FORMS:
            archive.write(tmp_path / "a.npz", f"{name}.npy")
    refused(tmp_path / "outer.npz")


def test_a_small_file_never_unpacks_to_a_large_one(tmp_path: Path) -> None:
    header = b"\x93NUMPY\x01\x00\x76\x00" + b"{'descr': '<f8', 'fortran_order': False, 'shape': (12500000, 3), }".ljust(
        118
    )
    with zipfile.ZipFile(tmp_path / "bomb.npz", "w", zipfile.ZIP_DEFLATED) as archive:
        with archive.open("heights.npy", "w") as entry:
            entry.write(header)
            for _ in range(300):
                entry.write(bytes(1_000_000))
        archive.writestr("names.npy", b"")
    assert (tmp_path / "bomb.npz").stat().st_size < 400_000
    tracemalloc.start()
    refused(tmp_path / "bomb.npz")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 5_000_000


def test_an_entry_that_says_it_is_larger_than_the_file_is_refused(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", **ARRAYS)
    data = bytearray((tmp_path / "a.npz").read_bytes())
    place = data.find(b"PK\x01\x02")
    data[place + 20 : place + 28] = b"\xf0\xff\xff\xef" * 2
    (tmp_path / "a.npz").write_bytes(data)
    refused(tmp_path / "a.npz")


def changed(motion: Motion, **arrays: Any) -> dict[str, Any]:
    return motion_arrays(motion) | arrays


FORGED: dict[str, Callable[[Motion], dict[str, Any]]] = {
    "up": lambda one: changed(one, up=np.array([0.0, 0.0, 1e30])),
    "no up": lambda one: changed(one, up=np.zeros(3)),
    "cycle": lambda one: changed(one, parents=np.roll(one.skeleton.parents, 1)),
    "parents below": lambda one: changed(one, parents=np.where(one.skeleton.parents < 0, -7, one.skeleton.parents)),
    "parents": lambda one: changed(one, parents=one.skeleton.parents.astype(float)),
    "joints": lambda one: changed(one, translated=one.translated + 1000),
    "rotations": lambda one: changed(one, rotations=2 * one.rotations),
    "no rotations": lambda one: changed(one, rotations=0 * one.rotations),
    "rest": lambda one: changed(one, rest_rotations=3 * one.skeleton.rest_rotations),
    "far": lambda one: changed(one, translations=np.full_like(one.translations, 1e30)),
    "not finite": lambda one: changed(one, translations=np.full_like(one.translations, np.nan)),
    "rate": lambda one: changed(one, frames_per_second=np.array(-30.0)),
    "rate too high": lambda one: changed(one, frames_per_second=np.array(1e300)),
    "rates": lambda one: changed(one, frames_per_second=np.array([30.0, 30.0])),
    "names": lambda one: changed(one, names=np.array(["hips"] * len(one.skeleton.names))),
    "no names": lambda one: changed(one, names=np.array([""] * len(one.skeleton.names))),
    "no frames": lambda one: motion_arrays(one.slice(0, 0)),
}


@pytest.mark.parametrize("name", FORGED)
def test_a_motion_with_values_that_no_motion_has_is_refused(tmp_path: Path, name: str) -> None:
    with (tmp_path / "forged.npz").open("wb") as file:
        save_arrays(file, FORGED[name](walker(20)))
    with pytest.raises(InputError, match=r"forged\.npz"):
        load_motion(tmp_path / "forged.npz")


@pytest.mark.slow
def test_damaged_and_forged_files_give_input_error_and_nothing_else(tmp_path: Path) -> None:
    motions = [walker(20, seed) for seed in (0, 1)]
    library = library_of(motions, [Clip(name, f"{name}.bvh", 0, 20, {"style": "x"}) for name in "ab"])
    save_motion(tmp_path / "motion.npz", motions[0])
    save_library(tmp_path / "library.npz", library)
    random, path = np.random.default_rng(0), tmp_path / "broken.npz"
    kinds: tuple[tuple[str, dict[str, Any], Callable[[Path], Motion]], ...] = (
        ("motion", motion_arrays(motions[0]), load_motion),
        ("library", library_arrays(library), lambda path: load_library(path).motion(0)),
    )
    for name, arrays, read in kinds:
        whole = (tmp_path / f"{name}.npz").read_bytes()
        for content in (damaged, forged_archive) * 60:
            path.write_bytes(content(random, whole if content is damaged else arrays))  # type: ignore[arg-type]
            try:
                motion = read(path)
            except InputError as error:
                assert str(error).endswith("."), error
            else:
                assert np.isfinite(motion.pose()[1]).all()
