"""One module for each step of the tables, run by alembic at the first open; a released step is never edited."""
