# SPDX-License-Identifier: GPL-3.0-or-later
"""Clusters of a library: their automatic names, given names, and pictures of their poses."""

import struct
import tracemalloc
import zlib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from bvh_files import lifting
from clip_libraries import four_motions
from commands import run

from genmm_addon.character.sample.sample_motions import sample_motions
from genmm_addon.core import InputError
from genmm_addon.core.library import ClipLibrary, TagPattern, load_library, parse_choice, save_library
from genmm_addon.libraries import takes
from genmm_addon.libraries.building import Plan, build
from genmm_addon.libraries.exploring import strips
from genmm_addon.libraries.exploring.clusters import NamedCluster, named_clusters, path_of, renamed
from genmm_addon.libraries.exploring.strips import PIXELS, POSES, png_of, side_by_side, strip_of, strip_of_lines
from genmm_addon.libraries.takes import files_in

pytestmark = pytest.mark.usefixtures("extension")

Capture = pytest.CaptureFixture[str]


def called(library: ClipLibrary, name: str) -> NamedCluster:
    return next(one for one in named_clusters(library) if one.name == name)


def test_clusters_are_called_first_by_the_tags_that_most_of_their_clips_have() -> None:
    names = {one.name for one in named_clusters(four_motions()) if len(one.path) == 1}
    assert {"wave plain", "dance plain"} <= names, "the subject, which all have, tells nothing"
    for outer in named_clusters(four_motions(walks=60)):
        inside = [one.name for one in named_clusters(four_motions(walks=60)) if one.path[:-1] == outer.path]
        assert len({outer.name, *inside}) == 1 + len(inside), "none is called as another one beside or around it"
    untagged = four_motions(tags=False)
    for one in named_clusters(untagged):
        assert one.name == untagged.clips[one.cluster.typical].name and not one.is_named, one.path


def test_name_of_a_cluster_is_a_tag_that_selects_its_clips() -> None:
    library = four_motions()
    wave = called(library, "wave plain")
    named = renamed(library, wave.path, "Hello")
    again = called(named, "Hello")
    assert (again.path, again.is_named, again.cluster) == (wave.path, True, wave.cluster)
    assert set(named.chosen(parse_choice(again.choice)).tolist()) == set(wave.cluster.clips)
    assert named.fingerprint != library.fingerprint
    taken = renamed(named, wave.path, "")
    assert [clip.tags for clip in taken.clips] == [clip.tags for clip in library.clips]


@pytest.mark.slow
def test_pictures_of_many_bones_are_drawn_in_blocks_of_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = np.random.default_rng(0).normal(size=(2, 2, 600, 3))
    tracemalloc.start()
    drawn = strip_of_lines(lines, (0.0, 0.0, 1.0))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 50e6
    monkeypatch.setattr(strips, "pieces", lambda rows, _: [slice(rows)])
    assert np.array_equal(strip_of_lines(lines, (0.0, 0.0, 1.0)), drawn)


def test_names_inside_of_others_stay_when_these_are_renamed() -> None:
    library = four_motions(walks=60)
    outer = next(one for one in named_clusters(library) if one.cluster.children)
    inner = next(one for one in named_clusters(library) if one.path == (*outer.path, 1))
    named = renamed(library, inner.path, "Left Foot")
    tags = {named.clips[number].tags["cluster"] for number in inner.cluster.clips}
    assert tags == {f"{outer.name}/Left Foot"}
    again = renamed(named, outer.path, "Walks")
    assert called(again, "Left Foot").full_name == "Walks/Left Foot"
    assert set(again.chosen(parse_choice(called(again, "Walks").choice)).tolist()) == set(outer.cluster.clips)


def test_a_library_that_is_built_again_keeps_the_names(tmp_path: Path) -> None:
    for number in range(14):
        (tmp_path / f"take_{number:02}.bvh").write_text(lifting(7 * number))
    first = build(files_in(tmp_path), Plan()).library
    path = named_clusters(first)[0].path
    named = renamed(first, path, "Lifts")
    (tmp_path / "take_99.bvh").write_text(lifting(200))
    again = build(files_in(tmp_path), Plan((TagPattern("{action}_{}"),)), named).library
    assert {clip.source: clip.tags.get("cluster") for clip in named.clips}.items() <= {
        clip.source: clip.tags.get("cluster") for clip in again.clips
    }.items()
    assert any(clip.tags == {"cluster": "Lifts", "action": "take"} for clip in again.clips)


def test_mirrored_clip_keeps_the_name_of_its_cluster_when_the_library_is_rebuilt(tmp_path: Path) -> None:
    for number in range(14):
        (tmp_path / f"take_{number:02}.bvh").write_text(lifting(7 * number))
    plan = Plan((TagPattern("{action}_{}"),), mirrored=True)
    first = build(files_in(tmp_path), plan).library
    clips = [
        replace(clip, tags={**clip.tags, "cluster": name}, source_tags={"cluster": name})
        for number, clip in enumerate(first.clips)
        for name in (f"Cluster {number % 5}",)
    ]
    named = replace(first, clips=tuple(clips), known_fingerprint="")
    (tmp_path / "take_99.bvh").write_text(lifting(200))
    again = build(files_in(tmp_path), plan, named).library
    tags = {clip.name: dict(clip.tags) for clip in again.clips}
    assert all(tags[clip.name] == dict(clip.tags) for clip in named.clips)
    assert tags["take_99 mirrored"] == {"action": "take"}


@pytest.mark.parametrize("mirrored", [False, True])
def test_a_clip_that_is_read_again_keeps_the_name_of_its_cluster(
    tmp_path: Path, mirrored: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(14):
        (tmp_path / f"take_{number:02}.bvh").write_text(lifting(7 * number))
    plan = Plan(mirrored=mirrored)
    first = build(files_in(tmp_path), plan).library
    clips = [
        replace(clip, tags={"cluster": name}, source_tags={"cluster": name})
        for number, clip in enumerate(first.clips)
        for name in (f"Cluster {number % 5}",)
    ]
    named = replace(first, clips=tuple(clips), known_fingerprint="")
    tags = {clip.name: dict(clip.tags) for clip in named.clips}
    (tmp_path / "take_03.bvh").write_text(lifting(200))
    again = build(files_in(tmp_path), plan, named)
    assert (again.read, {clip.name: dict(clip.tags) for clip in again.library.clips}) == (1, tags)
    # A newer version may read files in another way, and then reads all of them again.
    monkeypatch.setattr(takes, "READING", takes.READING + 1)
    newer = build(files_in(tmp_path), plan, named)
    assert (newer.read, {clip.name: dict(clip.tags) for clip in newer.library.clips}) == (14, tags)
    slower = build(files_in(tmp_path), replace(plan, frames_per_second=15.0), named)
    assert {clip.name: dict(clip.tags) for clip in slower.library.clips} == tags


def test_names_unusable_as_tags_are_rejected() -> None:
    library = four_motions()
    for name, sentence in (("a,b", "has , in it"), ("a/b=c", "has / = in it"), ("x" * 101, "at most 100 characters")):
        with pytest.raises(InputError, match=sentence):
            renamed(library, (1,), name)
    with pytest.raises(InputError, match=r"no cluster 99"):
        renamed(library, (99,), "Far")
    with pytest.raises(InputError, match="is not a cluster; write its numbers"):
        path_of("1.x")


def test_a_strip_shows_a_figure_in_each_of_its_poses() -> None:
    strip = strip_of(sample_motions(30.0)["GenMM Wave"])
    assert strip.shape == (POSES, PIXELS, PIXELS, 4)
    drawn = strip[..., 3].reshape(POSES, -1)
    assert ((drawn > 0.5).mean(axis=1) > 0.02).all() and (drawn.max(axis=1) == 1.0).all()
    assert not strip[:, 0, :, 3].any() and not strip[:, -1, :, 3].any(), "nothing is cut off"
    assert len({row.tobytes() for row in drawn}) == POSES


def test_a_picture_is_a_png_of_the_same_pixels() -> None:
    strip = strip_of(sample_motions(30.0)["GenMM Walk"])
    data = png_of(side_by_side(strip))
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    assert struct.unpack(">II", data[16:24]) == (POSES * PIXELS, PIXELS)
    start = data.index(b"IDAT") + 4
    length = struct.unpack(">I", data[start - 8 : start - 4])[0]
    lines = np.frombuffer(zlib.decompress(data[start : start + length]), np.uint8).reshape(PIXELS, -1)[:, 1:]
    alpha = lines.reshape(PIXELS, POSES * PIXELS, 4)[::-1, :, 3]
    assert np.abs(alpha / 255 - side_by_side(strip)[..., 3]).max() < 0.003


def test_the_command_shows_the_tree_and_names_clusters(tmp_path: Path, capfd: Capture) -> None:
    path = tmp_path / "all.npz"
    save_library(path, four_motions())
    words = ("library", "clusters", path)
    found = run(capfd, *words, "--json").answers
    assert sum(one["clips"] for one in found if "." not in one["cluster"]) == 32
    assert run(capfd, *words, "--json").answers == found, "the same library has the same tree"
    number = next(one["cluster"] for one in found if one["name"] == "dance plain")
    said = run(capfd, *words, "--name", f"{number}=Party", "--strips", tmp_path / "strips")
    assert said.status == 0 and any(f'{number} "Party": ' in line for line in said.lines)
    assert {clip.name[:5] for clip in load_library(path).clips if clip.tags.get("cluster") == "Party"} == {"dance"}
    assert (tmp_path / "strips" / f"cluster_{number}.png").read_bytes()[:4] == b"\x89PNG"
    said = run(capfd, *words, "--strips", path / "strips")
    assert said.status == 1 and said.errors[0].startswith("Pictures could not be written to the folder")
    before = path.read_bytes()
    for name, sentence in (("1", 'has no "="'), ("77=Far", "no cluster 77"), ("1=a,b", "has , in it")):
        said = run(capfd, *words, "--name", name)
        assert said.status == 2 and len(said.errors) == 1 and sentence in said.errors[0]
    assert path.read_bytes() == before
