# SPDX-License-Identifier: GPL-3.0-or-later
"""Take the documentation's pictures from real windows into docs/pictures.

python tests/gui/take_pictures.py [NAME.png NAME.webp ...]    all of them, or those named
python tests/gui/take_pictures.py --taken                     from the screenshots of the last run of tests/gui
"""

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(1, str(Path(__file__).resolve().parents[2]))

from driving import ROOT, SCREENSHOTS, drive

from building.browser import run_in_environment
from building.pictures import FILMS, FOLDER, PAGES, PICTURES, Picture

DELAY = "13"
"""Time for which each photograph of a film is shown, in hundredths of a second."""


def main() -> None:
    """Drive the windows, and put the photographs into the documentation."""
    every = {Path(picture.name).name: picture for picture in PICTURES + FILMS}
    parser = argparse.ArgumentParser(description="Take the documentation's pictures anew, from real windows.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="such as pins.png (default: all, and the demo's)")
    parser.add_argument("--taken", action="store_true", help="out of the screenshots of the last run of tests/gui")
    options = parser.parse_args()
    if unknown := [name for name in options.names if name not in every]:
        parser.error(f'there is no picture "{unknown[0]}"; building/pictures.py lists them')
    pictures = [every[name] for name in options.names or every]
    if options.taken:
        pictures = [picture for picture in pictures if all(path.exists() for path in screenshots(picture))]
    else:
        for script, window in sorted({(picture.script, picture.window) for picture in pictures}):
            take(script, window, [picture.film for picture in pictures if picture.script == script])
    for picture in pictures:
        moving = ("-delay", DELAY) if picture.film else ()
        command = ["convert", *moving, *(str(path) for path in screenshots(picture)), "-strip", *picture.options]
        (FOLDER / picture.name).parent.mkdir(exist_ok=True)
        subprocess.run([*command, str(FOLDER / picture.name)], check=True)
        print(f"{picture.name}: {(FOLDER / picture.name).stat().st_size // 1024} kB")
    if not options.names and not options.taken:
        subprocess.run([sys.executable, str(ROOT / "build.py"), "demo"], check=True)
        shutil.copy(ROOT / "build" / "demo" / "demo.webp", FOLDER)


def take(script: str, window: str, films: list[str]) -> None:
    """Drive a script, in a window of its own size if it takes films; pages are filmed in their browser."""
    if script == PAGES:
        run_in_environment(str(Path(__file__).parent / PAGES))
        return
    if window:
        for name in films:
            for path in SCREENSHOTS.glob(f"film-{name}-*.png"):
                path.unlink()
        os.environ |= {"GENMM_WINDOW": window, "GENMM_FILMS": ",".join(films)}
    drive(script)
    for name in ("GENMM_WINDOW", "GENMM_FILMS"):
        os.environ.pop(name, None)


def screenshots(picture: Picture) -> list[Path]:
    """Return the files from which a picture is made."""
    if picture.film:
        return sorted(SCREENSHOTS.glob(f"film-{picture.film}-*.png")) or [SCREENSHOTS / f"film-{picture.film}.png"]
    return [SCREENSHOTS / f"{name}.png" for name in picture.screenshots or (Path(picture.name).stem,)]


if __name__ == "__main__":
    main()
