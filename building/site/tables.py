# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables of the documentation that are kept as CSV files, shown on its pages."""

import csv
import re
from pathlib import Path

_SHOWN = re.compile(r"^\[[^\]]+\]\((data/\w+\.csv)\)$", re.MULTILINE)


def with_tables(markdown: str, folder: Path) -> str:
    """Return a page with a table after each line that is a link to a CSV file in the folder, and nothing else."""
    return _SHOWN.sub(lambda match: f"{match[0]}\n\n{_table(folder / match[1])}", markdown)


def _table(path: Path) -> str:
    titles, *rows = csv.reader(path.read_text(encoding="utf-8").splitlines())
    lines = [titles, ["---"] * len(titles), *rows]
    return "\n".join(f"| {' | '.join(value or '-' for value in line)} |" for line in lines)
