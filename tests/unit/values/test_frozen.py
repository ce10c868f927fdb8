"""Our frozen classes are the dataclasses they seem to be."""

from __future__ import annotations

import copy
import pickle
from dataclasses import FrozenInstanceError, field, fields, replace

import pytest

from oldsoul.values.frozen import frozen


@frozen
class Point:
    x: int
    y: int = 2
    tags: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        if self.x < 0:
            raise ValueError(self.x)


@frozen
class Other:
    x: int
    y: int = 2
    tags: list[str] = field(default_factory=list)


@frozen
class One:
    name: str = "n"


@frozen
class Nothing:
    pass


def test_they_are_dataclasses_with_defaults_and_factories() -> None:
    assert [f.name for f in fields(Point)] == ["x", "y", "tags"]
    assert Point(1) == Point(x=1, y=2, tags=[])
    assert Point(1).tags is not Point(1).tags
    assert replace(Point(1), y=5) == Point(1, 5)
    assert repr(Point(1)) == "Point(x=1, y=2, tags=[])"
    with pytest.raises(TypeError):
        Point()  # type: ignore[call-arg]
    with pytest.raises(ValueError, match="-1"):
        Point(-1)


def test_equal_fields_of_another_type_are_another_thing() -> None:
    things: list[object] = [Point(1), Other(1)]
    assert things[0] != things[1]
    assert Other(1) == Other(1)
    assert One() == One("n") != One("m")
    assert hash(One()) == hash(One("n"))
    assert Nothing() == Nothing()


def test_nothing_can_be_changed_or_added() -> None:
    point = Point(1)
    with pytest.raises(FrozenInstanceError):
        point.x = 2  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        del point.x
    with pytest.raises((FrozenInstanceError, AttributeError)):
        point.z = 2  # type: ignore[attr-defined]
    assert not hasattr(point, "__dict__")


def test_they_can_be_copied_pickled_and_matched() -> None:
    point = Other(3, 4, ["a"])
    assert copy.deepcopy(point) == point
    assert pickle.loads(pickle.dumps(point)) == point  # noqa: S301 - our own
    match point:
        case Other(x, y, [tag]):
            assert (x, y, tag) == (3, 4, "a")
        case _:
            pytest.fail("no match")
