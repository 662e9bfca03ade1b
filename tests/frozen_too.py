"""What a process beside the server loads first, so that it calculates with the frozen catalogue as the server does."""

from tests import frozen

frozen.freeze()
