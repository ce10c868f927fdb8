"""What the tests of the ledger share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from core.ledger_bench import House, house_of

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(params=["memory", "folder"])
def house(request: pytest.FixtureRequest) -> Iterator[House]:
    """A ledger on the store in memory, and on the one in folders."""
    with house_of(request.param) as made:
        yield made
