"""What holds now in this process, for threads that read it while another may put something in its place."""

from __future__ import annotations

from typing import Generic, TypeVar

T = TypeVar("T")


class Present(Generic[T]):
    """Holds one value; one assignment changes all of it, so that no thread sees half of a change."""

    __slots__ = ("value",)

    def __init__(self, value: T) -> None:
        self.value = value
