# SPDX-License-Identifier: GPL-3.0-or-later
"""The page of the server, for users who make their first motion."""

from collections.abc import Mapping
from pathlib import Path

from ..standing_alone import POLICY, PageFiles, page_around
from .session_files import ENDINGS
from .tasks import LONGEST, MOST_VARIATIONS, SHORTEST

TITLE = "New Motion From Yours - GenMM"
FILES = PageFiles(
    Path(__file__).parents[1] / "novice",
    "novice",
    ("decoding", "camera", "figure", "theme"),
    ("server", "stage", "example", "choices", "variations", "page"),
)
SERVED_POLICY = f"{POLICY}; connect-src 'self'"
"""The policy of a self-contained page, with connections to its own server."""


def novice_page(size_limit: int, not_written: Mapping[str, str]) -> tuple[str, str]:
    """Return the page and its Content-Security-Policy, which also prevents other pages from embedding it.

    size_limit: largest accepted file, in bytes. not_written: by suffix, why a format cannot be written.
    """
    data = {
        "sizeLimit": size_limit,
        "endings": ENDINGS,
        "mostVariations": MOST_VARIATIONS,
        "shortest": SHORTEST,
        "longest": LONGEST,
        "notWritten": dict(not_written),
    }
    before, after, policy = page_around(FILES, TITLE, data, SERVED_POLICY)
    return before + after, f"{policy}; frame-ancestors 'none'"
