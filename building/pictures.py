# SPDX-License-Identifier: GPL-3.0-or-later
"""The documentation's pictures: the window in which each is taken, and the sources of its content."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from .blender_modules import ROOT

FOLDER = ROOT / "docs" / "pictures"
PALETTE = ("-dither", "None", "-colors", "255")
"""Options for a palette, which reduces the size of a viewport to a third without visible loss; a ribbon has more
colors."""
MOVING = ("-resize", "440x", "-quality", "50", "-define", "webp:method=3", "-loop", "0")
WITH_EDITOR = "640 560"
"""Size of a window with an editor below the viewport, in pixels."""
INTERFACE = "genmm_addon/interface"
PAGES = "../browser/take_films.py"
"""The script that films pages in a browser, in the environment of `build.py pages`."""


@dataclass(frozen=True)
class Picture:
    """A picture: its name, driving script (tests/gui), screenshots of that script, ImageMagick's options, sources.

    Without screenshots, it is made from the one of its name. Sources are folders of the interface, or paths from the
    root. A moving picture is made from the photographs of a film (tests/gui/films), in a small window of its own.
    """

    name: str
    script: str
    sources: tuple[str, ...]
    screenshots: tuple[str, ...] = ()
    options: tuple[str, ...] = PALETTE
    window: str = ""
    """Width and height of Blender's window in pixels; a large one if empty."""

    @property
    def film(self) -> str:
        """Return the name of the film that it is made from; "" for a still picture."""
        return Path(self.name).stem if self.window else ""

    @property
    def paths(self) -> list[str]:
        """Return the paths of its sources, from the root."""
        return [place if "/" in place else f"{INTERFACE}/{place}" for place in self.sources]


def crop(width: int, height: int, left: int = 0, top: int = 0) -> tuple[str, ...]:
    """Return the options that cut a rectangle out of each screenshot, in pixels."""
    return ("-crop", f"{width}x{height}+{left}+{top}", "+repage")


def film(name: str, script: str, *sources: str, window: str = "640 480") -> Picture:
    """Return a moving picture of the window."""
    return Picture(f"moving/{name}.webp", f"films/{script}.py", sources, (), MOVING, window)


def page_film(name: str, *sources: str) -> Picture:
    """Return a moving picture of a page."""
    return Picture(f"moving/{name}.webp", PAGES, sources, (), MOVING, "880 640")


PICTURES = (
    Picture("panel.png", "generate/drive_pictures.py", ("generate", "results"), options=()),
    Picture("adjust.png", "generate/drive_pictures.py", ("generate",)),
    Picture("variations.png", "generate/drive_pictures.py", ("genmm_addon/generation",)),
    Picture("ribbon.png", "generate/drive_pictures.py", ("ribbon",), options=()),
    Picture("paint-parts.png", "generate/drive_pictures_parts.py", ("parts",)),
    Picture("pins.png", "directing/drive_pins.py", ("pins",)),
    Picture("path.png", "directing/drive_direction.py", ("generate",)),
    Picture("labels.png", "directing/drive_labels.py", ("labels",)),
    Picture("crowd.png", "characters/drive_crowd.py", ("crowd", "genmm_addon/crowd")),
    Picture("library.png", "libraries/drive_library.py", ("library",), ("library_chosen",), crop(250, 200, 1032, 645)),
    Picture("similar.png", "libraries/drive_similar.py", ("exploring",)),
    Picture("clusters.png", "libraries/drive_clusters.py", ("exploring",)),
    Picture("fill-range.png", "timeline/drive_fill.py", ("timeline",), ("fill_range",)),
    Picture("blocking-to-spline.png", "timeline/drive_fill.py", ("timeline",), ("fill_blocking",)),
    Picture("continue.png", "timeline/drive_continue.py", ("timeline",), ("continue_menu",), crop(1030, 425, 0, 555)),
    Picture("connect.png", "timeline/drive_continue.py", ("timeline",), ("connect_dialog",)),
    Picture("connect-strips.png", "timeline/drive_blend_strip.py", ("timeline",), ("connect_strips",), crop(1020, 195)),
    Picture("blend.png", "timeline/drive_blend_strip.py", ("timeline",), ("blend_after",), crop(1030, 180)),
    Picture("stretch.png", "timeline/drive_stretches.py", ("stretches",), ("stretch_menu",), crop(1030, 425, 0, 555)),
    Picture("ground.png", "directing/drive_ground.py", ("ground",), ("ground",), (*crop(850, 660, 211, 20), *PALETTE)),
    Picture("reach.png", "directing/drive_reach.py", ("reach",), ("reach_crop",), ("-resize", "860x", *PALETTE)),
    Picture("waypoints.png", "directing/drive_waypoints.py", ("waypoints",), (), (*crop(870, 520, 191, 220), *PALETTE)),
    Picture("trajectories.png", "timeline/drive_trajectories.py", ("trajectories",)),
    Picture(
        "rigs.png",
        "characters/drive_rigs.py",
        ("trajectories", "waypoints", "reach"),
        ("rigs_mixamo_reach", "rigs_rigify_reach", "rigs_rigify_trajectories", "rigs_rigify_waypoints"),
        (*crop(840, 720, 330, 40), "+append", "-resize", "1600x", *PALETTE),
    ),
    Picture(
        "rigs-new.png",
        "characters/drive_rigs_new.py",
        ("reach", "ground", "generate"),
        ("rigs_mixamo_new_reach", "rigs_rigify_new_reach", "rigs_mixamo_slope", "rigs_rigify_slope"),
        (*crop(560, 640, 300, 130), "+append", "-resize", "1600x", *PALETTE),
    ),
    Picture(
        "rigs-root.png",
        "characters/drive_rigs_root.py",
        ("ground",),
        ("rigs_mixamo_root", "rigs_rigify_root"),
        (*crop(760, 620, 190, 60), "+append", "-resize", "1600x", *PALETTE),
    ),
    Picture(
        "rigs-coarse.png",
        "characters/drive_rigs_natural.py",
        ("refining",),
        ("rigs_mixamo_coarse", "rigs_mixamo_full", "rigs_rigify_coarse", "rigs_rigify_full"),
        (*crop(560, 640, 300, 74), "+append", "-resize", "1600x", *PALETTE),
    ),
    Picture(
        "rigs-natural.png",
        "characters/drive_rigs_natural.py",
        ("refining", "core/repair"),
        ("rigs_mixamo_rough", "rigs_mixamo_natural", "rigs_rigify_rough", "rigs_rigify_natural"),
        (*crop(560, 560, 300, 30), "+append", "-resize", "1600x", *PALETTE),
    ),
    Picture("rigs-assets.png", "characters/drive_rigs_natural.py", ("results",), ("rigs_assets",), crop(690, 290)),
    Picture("natural.png", "transforming/drive_natural.py", ("refining",), ("natural_coarse",), crop(1600, 520)),
    Picture(
        "repair.png",
        "transforming/drive_repair.py",
        ("repair",),
        (),
        (*crop(1310, 940, 0, 40), "-resize", "900x", *PALETTE),
    ),
    Picture(
        "restyle.png",
        "transforming/drive_transform.py",
        ("transform",),
        ("transform_before", "transform_restyled"),
        (*crop(380, 760, 450, 60), "+append", *PALETTE),
    ),
    Picture(
        "attributes.png",
        "transforming/drive_attributes.py",
        ("transform",),
        ("attributes_before", "attributes_after", "attributes_sliders"),
        ("+append", *PALETTE),
    ),
    Picture("root_motion.png", "transforming/drive_root_motion.py", ("ground",), (), ("-resize", "800x", *PALETTE)),
    Picture(
        "live-sliders.png",
        "live/drive_live.py",
        ("live",),
        ("live_1", "live_2", "live_3", "live_4"),
        (*crop(900, 630, 40, 130), "+append", "-resize", "1624x", *PALETTE),
    ),
    Picture(
        "steer.png",
        "live/drive_steer.py",
        ("steer",),
        ("steer_1", "steer_2", "steer_3"),
        (*crop(320, 320, 490, 170), "+append", *PALETTE),
    ),
)
FILMS = (
    film("generate", "making", "genmm_addon/generation"),
    film("variations", "making", "genmm_addon/generation"),
    film("examples", "making", "examples"),
    film("mirrored", "making", "genmm_addon/interface/examples/sides.py"),
    film("parts", "making", "parts"),
    film("mixing", "making", "mixing"),
    film("bring", "making", "bringing", "core/transfer/bringing.py"),
    film("loop", "making", "core/constraints"),
    film("foot_lock", "making", "feet", "core/feet"),
    film("faces", "making", "genmm_addon/animation"),
    film("ribbon", "timeline", "ribbon", window=WITH_EDITOR),
    film("pins", "directing", "pins"),
    film("keep_part", "directing", "generate"),
    film("path", "directing", "generate"),
    film("labels", "directing", "labels"),
    film("waypoints", "directing", "waypoints"),
    film("ground", "directing", "ground", "core/environment/ground"),
    film("reach", "directing", "reach", "core/environment/reach"),
    film("follow", "timeline", "follow", "core/constraints/follow", window=WITH_EDITOR),
    film("fill_range", "timeline", "timeline", window=WITH_EDITOR),
    film("blocking_to_spline", "timeline", "timeline", window=WITH_EDITOR),
    film("that_second_again", "timeline", "stretches", window=WITH_EDITOR),
    film("continue", "timeline", "timeline", window=WITH_EDITOR),
    film("connect", "timeline", "timeline", window=WITH_EDITOR),
    film("blend_strip", "strips", "timeline", window=WITH_EDITOR),
    film("connect_strips", "strips", "timeline", window=WITH_EDITOR),
    film("coarse_keys", "timeline", "refining", window=WITH_EDITOR),
    film("simplify_keys", "timeline", "refining", window=WITH_EDITOR),
    film("make_natural", "changing", "refining", "core/repair"),
    film("restyle", "changing", "transform", "core/manner"),
    film("blend", "changing", "transform", "core/manner"),
    film("attributes", "changing", "transform", "core/manner/attributes"),
    film("repair", "changing", "repair", "core/repair"),
    film("live_sliders", "live", "live"),
    film("steer", "live", "steer", "core/live"),
    film("polish", "live", "steer", "core/live"),
    film("trajectories", "live", "trajectories"),
    film("crowd", "many", "crowd", "genmm_addon/crowd"),
    film("library", "many", "library"),
    film("find_similar", "many", "exploring"),
    film("clusters", "panels", "exploring"),
    film("assets", "assets", "results", window=WITH_EDITOR),
    film("batch", "many", "genmm_addon/generation"),
    film("root_motion", "many", "ground"),
    page_film("gallery", "genmm_addon/pages/gallery"),
    page_film("serve", "genmm_addon/pages/serving"),
)
"""The moving pictures, one for each feature."""
OTHERWISE_MADE = (
    "asset.png", "demo.webp", "engine-pyramid.svg", "engine-sources.svg", "gallery.png", "gallery-beside.png",
    "serve.png",
)  # fmt: skip
"""Pictures made in other ways: of an action marked as an asset, by `build.py demo`, by `build.py docs --draw`, and of
pages in a browser, with motions of the sample character."""


def older_than_their_sources(pictures: tuple[Picture, ...] = PICTURES + FILMS, root: Path = ROOT) -> Iterator[str]:
    """Yield the names of pictures that were committed before their sources; none without a repository."""
    for picture in pictures:
        taken = _committed(root, [f"docs/pictures/{picture.name}"])
        changed = _committed(root, picture.paths)
        if taken is not None and changed is not None and taken < changed:
            yield picture.name


def _committed(root: Path, paths: list[str]) -> int | None:
    """Return the time in seconds at which any of the paths was last committed; None if none was."""
    command = ["git", "log", "-1", "--format=%ct", "--", *paths]
    try:
        done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return int(done.stdout) if done.stdout.strip() else None
