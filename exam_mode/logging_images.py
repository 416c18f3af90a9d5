"""Model events of inspect-ai's log with image files by name instead of image data.

A request holds its pages as data URLs, the only form that inspect-ai hands to providers. Left alone, each event in the
log would carry them through hashing and condensing before they are cut out; here the event gets the messages that name
the files, before it reaches the transcript.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence

from inspect_ai.event import ModelEvent
from inspect_ai.log import transcript
from inspect_ai.model import ChatMessage


class _Nothing:
    """A sink that keeps no event: where no log is written they would only fill the memory."""

    def on_pending(self, event: ModelEvent) -> None:
        """The request goes out: nothing to keep."""

    def on_complete(self, event: ModelEvent) -> None:
        """The reply is there: nothing to keep."""


class _NamedImages:
    """A sink of model events for one request."""

    def __init__(self, named: Sequence[ChatMessage]) -> None:
        self._named = list(named)

    def on_pending(self, event: ModelEvent) -> None:
        """The request goes out: nothing to keep yet."""

    def on_complete(self, event: ModelEvent) -> None:
        """The reply is there: log the event with named images and without the raw request."""
        event.input = self._named
        event.call = None
        transcript()._event(event)


@contextlib.contextmanager
def images_by_name(named: Sequence[ChatMessage]) -> Iterator[None]:
    """While it is open, model events are logged with the messages `named`.

    An inspect-ai without this hook logs events as it does by itself, image data cut out.
    """
    with _events_to(_NamedImages(named)):
        yield


@contextlib.contextmanager
def no_events() -> Iterator[None]:
    """While it is open, model events are not kept. An inspect-ai without the hook keeps those of the last calls."""
    with _events_to(_Nothing()):
        yield


@contextlib.contextmanager
def _events_to(sink: _NamedImages | _Nothing) -> Iterator[None]:
    try:
        from inspect_ai.model._model import use_model_event_sink
    except ImportError:
        yield
        return
    with use_model_event_sink(sink):
        yield
