"""The cost of buying and running, month by month, from the order to the day the last machine is sold.

Whole servers and spares, the network between them, disks, a place to stand, electricity by what is drawn, people,
upkeep, repairs, replacement, and what the hardware fetches. Nothing of it runs before it is delivered. Each is a line;
each input is a figure of the catalogue or a number of yours.
"""

from planner.money.owning.lines import SERVERS, Ownership, owned, owning, spare_boards
from planner.money.owning.machine import Machine, PurchaseQuote, buying, machine

__all__ = ["SERVERS", "Machine", "Ownership", "PurchaseQuote", "buying", "machine", "owned", "owning", "spare_boards"]
