"""Fitting the constants of the speed models to published runs, and judging the fit by runs that it has not seen."""
