"""One wallet's account at the exchange, and the ledger that keeps the sums over all of them."""

from __future__ import annotations

from dataclasses import dataclass, field

from papertrade_site.market.position import Position


@dataclass(slots=True, eq=False)
class Account:
    """What the exchange knows of a wallet; dollars and PAPER at 10^18.

    ``free`` is cash not in a position, ``locked`` the margin of its open positions, ``queued`` profit
    that waits in the payout queue. ``realized`` counts queued profit as earned, so that at any time
    ``deposited + realized == withdrawn + free + locked + queued``.
    """

    address: str
    name: str | None = None
    free: int = 0
    locked: int = 0
    queued: int = 0
    queue_nodes: int = 0
    deposited: int = 0
    withdrawn: int = 0
    realized: int = 0
    fees_paid: int = 0
    volume: int = 0
    open_notional: int = 0
    paper_held: int = 0
    paper_staked: int = 0
    reward_base: int = 0
    reward_debt: int = 0
    revision: int = 0
    positions: dict[str, Position] = field(default_factory=dict)

    @property
    def balance(self) -> int:
        """Cash of the wallet in the exchange, the locked margin included, queued profit not."""
        return self.free + self.locked

    @property
    def paper(self) -> int:
        """PAPER that the wallet owns, staked or not."""
        return self.paper_held + self.paper_staked


class Ledger:
    """All accounts, and every movement of their cash, so that the totals never need to be summed again."""

    def __init__(self) -> None:
        self.accounts: dict[str, Account] = {}
        self.free = 0
        """Sum of all accounts' free cash."""
        self.locked = 0
        """Sum of all accounts' locked margin."""

    def enrol(self, account: Account) -> None:
        """Add an account, with whatever it already holds."""
        self.accounts[account.address] = account
        self.free += account.free
        self.locked += account.locked

    def deposit(self, account: Account, amount: int) -> None:
        """Cash comes in from outside."""
        account.deposited += amount
        self.credit(account, amount)

    def withdraw(self, account: Account, amount: int) -> None:
        """Free cash leaves the exchange."""
        account.withdrawn += amount
        self.credit(account, -amount)

    def credit(self, account: Account, amount: int) -> None:
        """Change the free cash of an account by a signed amount."""
        account.free += amount
        account.revision += 1
        self.free += amount

    def lock(self, account: Account, position: Position) -> None:
        """Turn free cash into the margin of a position that opens."""
        self.credit(account, -position.margin)
        self.hold(account, position)

    def hold(self, account: Account, position: Position) -> None:
        """Take in a position whose margin did not come from the account's free cash."""
        account.locked += position.margin
        account.open_notional += position.notional
        account.positions[position.id] = position
        self.locked += position.margin

    def release(self, account: Account, position: Position, *, returned: int) -> None:
        """End a position: its margin is no longer locked, and ``returned`` of it becomes free cash."""
        del account.positions[position.id]
        account.locked -= position.margin
        account.open_notional -= position.notional
        self.locked -= position.margin
        self.credit(account, returned)
