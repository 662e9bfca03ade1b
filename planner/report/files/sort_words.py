"""The closed lists of words that tables are asked for with. Nothing is loaded for them: `--help` says them at once."""

SORTS = ("price", "instance", "age", "provider", "accelerator", "region")
