# SPDX-License-Identifier: GPL-3.0-or-later
"""Labels of a character for its panel: stretches, known tags, and a sentence on what is wrong with them."""

from collections.abc import Sequence
from dataclasses import dataclass

from bpy.types import Object, Scene

from ...animation.labels import LABELS, TagStretch, labels_of, stretches_of_markers, tags_of
from ...animation.reading.example_spec import ExampleSpec
from ...animation.scene_time import first_frame
from ...core import InputError
from ...generation.request import Request
from ...requests.choices import chosen_examples
from ...requests.length import shown_length
from ...requests.library_values import clip_specs, learns_from_library
from ...requests.request_values import panel_request
from ...state.properties import GENMM_PG_character


@dataclass(frozen=True)
class ShownLabels:
    """Stretches of the list and of markers; problem: a sentence on why they cannot be used, or ""."""

    listed: tuple[TagStretch, ...]
    marked: tuple[TagStretch, ...]
    problem: str


def shown_labels(character: Object, settings: GENMM_PG_character, scene: Scene) -> ShownLabels:
    """Return the labels of a character's next motion."""
    listed, marked = listed_stretches(settings), tuple[TagStretch, ...]()
    try:
        if settings.label_markers and known_tags(character, settings, given_only=True):
            marked = stretches_of_markers(character, scene)
        request = _request(character, scene)
        examples: Sequence[ExampleSpec] = () if request is None else request.examples
        if request is not None and request.library is not None:
            examples = clip_specs(settings)
        if request is not None and examples:
            start = first_frame(request.frame_start, scene)
            labels_of(listed, request.label_markers, examples, character, scene, start, request.frames)
    except InputError as error:
        return ShownLabels(listed, marked, str(error))
    return ShownLabels(listed, marked, "")


def _request(character: Object, scene: Scene) -> Request | None:
    """Return the request of Generate; None where it is impossible, which the panel of the reason reports."""
    try:
        return panel_request(character, scene)[0]
    except InputError:
        return None


def listed_stretches(settings: GENMM_PG_character) -> tuple[TagStretch, ...]:
    """Return the stretches of the list; none where its text cannot be read."""
    return LABELS.readable(settings.labels)


def known_tags(character: Object, settings: GENMM_PG_character, *, given_only: bool = False) -> list[str]:
    """Return the tags of the examples in use, followed by their names as tags unless `given_only` is set."""
    try:
        if learns_from_library(settings):
            specs = clip_specs(settings)
        else:
            specs = [choice.spec for choice in chosen_examples(character, settings.examples)]
    except InputError:
        return []
    given = sorted({tag for spec in specs for tag in spec.tags})
    names = [] if given_only else [tag for spec in specs for tag in tags_of(spec) if tag not in spec.tags]
    return list(dict.fromkeys((*given, *names)))


def next_stretch(character: Object, settings: GENMM_PG_character, scene: Scene) -> tuple[int, int]:
    """Return the scene frames after the last stretch of the list, up to the result's last frame."""
    request = _request(character, scene)
    start = scene.frame_start if request is None else round(first_frame(request.frame_start, scene))
    last = start + shown_length(settings, character, scene) - 1
    ends = [last if stretch.last is None else stretch.last for stretch in listed_stretches(settings)]
    first = max(ends, default=start - 1) + 1
    return (first, last) if first <= last else (start, last)
