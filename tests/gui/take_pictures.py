# SPDX-License-Identifier: GPL-3.0-or-later
"""Take the documentation's pictures anew, from real windows, into docs/pictures.

python tests/gui/take_pictures.py [NAME.png ...]    all of them, or those
python tests/gui/take_pictures.py --taken           out of the screenshots of the last run of tests/gui
"""

import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(1, str(Path(__file__).resolve().parents[2]))

from test_window import ROOT, SCREENSHOTS, drive

from building.pictures import FOLDER, PICTURES, Picture


def main(arguments: list[str]) -> None:
    """Drive the windows, and put what was photographed into the documentation."""
    named = [name for name in arguments if not name.startswith("--")]
    pictures = [picture for picture in PICTURES if not named or picture.name in named]
    if "--taken" in arguments:
        pictures = [picture for picture in pictures if all(path.exists() for path in screenshots(picture))]
    else:
        for script in sorted({picture.script for picture in pictures}):
            drive(script)
    for picture in pictures:
        command = ["convert", *(str(path) for path in screenshots(picture)), "-strip", *picture.options]
        subprocess.run([*command, str(FOLDER / picture.name)], check=True)
        print(f"{picture.name}: {(FOLDER / picture.name).stat().st_size // 1024} kB")
    if not arguments:
        subprocess.run([sys.executable, str(ROOT / "build.py"), "demo"], check=True)
        shutil.copy(ROOT / "build" / "demo" / "demo.webp", FOLDER)


def screenshots(picture: Picture) -> list[Path]:
    """Return the files that a picture is made of."""
    return [SCREENSHOTS / f"{name}.png" for name in picture.screenshots or (Path(picture.name).stem,)]


if __name__ == "__main__":
    main(sys.argv[1:])
