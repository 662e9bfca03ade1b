"""The best mix of owning, reserving and renting, as a small programme that is solved exactly."""
