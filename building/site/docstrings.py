# SPDX-License-Identifier: GPL-3.0-or-later
"""Docstrings on the site, with their examples formatted as code."""

from typing import Any

import griffe

from building.site.pages import with_fences


class Examples(griffe.Extension):
    """An extension of the docstring reader; without it, Markdown takes >>> for a quotation."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Format the examples in an object's docstring as code."""
        if obj.docstring is not None:
            obj.docstring.value = with_fences(obj.docstring.value)
