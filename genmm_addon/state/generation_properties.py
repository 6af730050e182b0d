# SPDX-License-Identifier: GPL-3.0-or-later
"""The values that change a result, apart from the examples: the same in the panel and in the operator."""

from typing import TYPE_CHECKING, Any

from ..generation.request import RECORDS
from .setting_properties import properties_of


class GenerationProperties:
    """Everything but the examples that changes the result, as the records of a request describe it."""

    __annotations__ = properties_of(*RECORDS)

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...

        def __setattr__(self, name: str, value: Any) -> None: ...


def generation_names() -> tuple[str, ...]:
    """Return the names of all GenerationProperties."""
    return tuple(GenerationProperties.__annotations__)
