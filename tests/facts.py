"""The frozen catalogue and the day on which almost every test looks at it."""

from datetime import date

from pricing.load import load_catalogue

DAY = date(2026, 11, 21)
CATALOGUE = load_catalogue()
