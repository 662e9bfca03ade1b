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
        f"DO $do$ BEGIN IF to_regproc('only_grows') IS NULL THEN CREATE FUNCTION only_grows() RETURNS trigger "
        f"LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION '{_REFUSAL}'; END $$; END IF; "
        f"IF NOT EXISTS (SELECT FROM pg_trigger WHERE tgname = '{table}_only_grows') THEN "
        f"CREATE TRIGGER {table}_only_grows BEFORE UPDATE OR DELETE OR TRUNCATE ON {table} "
        f"EXECUTE FUNCTION only_grows(); END IF; END $do$"
    ]
