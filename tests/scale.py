"""How big a fault or load test is: small in `make test`, big in `make torture`."""

import os

TORTURE = bool(os.environ.get("OLDSOUL_TORTURE"))


def scaled(normal: int, torture: int) -> int:
    """The number for this run."""
    return torture if TORTURE else normal
