"""Builds who thinks and talks: the language model, with its meter."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime

from oldsoul.adapters.models.metered import Metered, MeteredTalker, chosen
from oldsoul.keepers.options import ModelOptions
from oldsoul.ports import Model, Spending, Talker


def model(
    spending: Spending,
    options: Callable[[], ModelOptions],
    environ: Mapping[str, str],
    now: Callable[[], datetime],
    own: Model | None,
) -> Model | None:
    """The language model of the keepers, one's own or that of the settings, with a meter; None where there is none."""
    found = chosen(options, environ) if own is None else own
    if found is None:
        return None
    return Metered(found, spending, options, now)


def talker(
    spending: Spending,
    options: Callable[[], ModelOptions],
    environ: Mapping[str, str],
    now: Callable[[], datetime],
    own: Talker | None,
) -> Talker | None:
    """The language model that replies, one's own or that of the settings, with a meter; None where there is none."""
    found = chosen(options, environ) if own is None else own
    if found is None:
        return None
    return MeteredTalker(found, spending, options, now)
