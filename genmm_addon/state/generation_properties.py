# SPDX-License-Identifier: GPL-3.0-or-later
"""The values that change a result, apart from the examples, shared by panel and operator."""

from typing import TYPE_CHECKING, Any

from ..generation.request import RECORDS
from .setting_properties import properties_of


class GenerationProperties:
    """All values but the examples that change the result, declared by the records of a request."""

    __annotations__ = properties_of(*RECORDS)

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...

        def __setattr__(self, name: str, value: Any) -> None: ...


def generation_names() -> tuple[str, ...]:
    """Return the names of all GenerationProperties."""
    return tuple(GenerationProperties.__annotations__)
