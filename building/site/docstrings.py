# SPDX-License-Identifier: GPL-3.0-or-later
"""Docstrings as the site shows them: their examples are set as code."""

from typing import Any

import griffe

from building.site.pages import with_fences


class Examples(griffe.Extension):
    """An extension of the reader of docstrings; without it Markdown takes >>> for a quotation."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Set the examples of an object's docstring as code."""
        if obj.docstring is not None:
            obj.docstring.value = with_fences(obj.docstring.value)
