# SPDX-License-Identifier: GPL-3.0-or-later
"""Take the README's pictures anew, from real windows, into docs/pictures: python tests/gui/take_pictures.py."""

import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from test_window import ROOT, SCREENSHOTS, drive

# A palette makes a third of the size of a viewport, and nobody sees it; the ribbon's colors are more than that.
PALETTE = ("-dither", "None", "-colors", "255")
PICTURES = {
    "panel": (),
    "adjust": PALETTE,
    "variations": PALETTE,
    "ribbon": (),
    "paint-parts": PALETTE,
    "pins": PALETTE,
    "path": PALETTE,
    "labels": PALETTE,
    "crowd": PALETTE,
    "similar": PALETTE,
    "clusters": PALETTE,
}
SCRIPTS = (
    "drive_pictures.py",
    "drive_pictures_parts.py",
    "drive_pins.py",
    "drive_direction.py",
    "drive_labels.py",
    "drive_crowd.py",
    "drive_similar.py",
    "drive_clusters.py",
)


def main() -> None:
    """Drive the windows, and put what it photographed where the README looks for it."""
    for script in SCRIPTS:
        drive(script)
    for name, options in PICTURES.items():
        target = ROOT / "docs" / "pictures" / f"{name}.png"
        subprocess.run(["convert", str(SCREENSHOTS / f"{name}.png"), "-strip", *options, str(target)], check=True)
        print(f"{target.relative_to(ROOT)}: {target.stat().st_size // 1024} kB")
    subprocess.run([sys.executable, str(ROOT / "build.py"), "demo"], check=True)
    shutil.copy(ROOT / "build" / "demo" / "demo.webp", ROOT / "docs" / "pictures")


if __name__ == "__main__":
    main()
