"""Tables that only grow: the database itself refuses to change or delete their rows."""

from collections.abc import Sequence

_REFUSAL = "this table only grows"


def only_grows(table: str, dialect: str) -> Sequence[str]:
    """Return the statements that let a table take new rows only; a second time they change nothing."""
    if dialect == "sqlite":
        return [
            f"CREATE TRIGGER IF NOT EXISTS {table}_no_{change} BEFORE {change} ON {table} "
            f"BEGIN SELECT RAISE(ABORT, '{_REFUSAL}'); END"
            for change in ("UPDATE", "DELETE")
        ]
    return [
        f"CREATE OR REPLACE FUNCTION only_grows() RETURNS trigger LANGUAGE plpgsql AS "
        f"$$ BEGIN RAISE EXCEPTION '{_REFUSAL}'; END $$",
        f"CREATE OR REPLACE TRIGGER {table}_only_grows BEFORE UPDATE OR DELETE OR TRUNCATE ON {table} "
        f"EXECUTE FUNCTION only_grows()",
    ]
