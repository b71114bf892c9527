"""How long something that fails is left alone, each time longer than the time before."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Pause:
    """A pause of some seconds, and the most that the ones after it may come to."""

    seconds: float
    longest_s: float

    def longer(self) -> Pause:
        """The pause after another failure: twice as long, within the limit."""
        return replace(self, seconds=min(2 * self.seconds, self.longest_s))
