"""Plans, their versions, and the facts that versions share."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "plans",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("author", sa.Text, nullable=False),
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("folder", sa.Text, nullable=False),
        sa.Column("tags", sa.Text, nullable=False),
        sa.Column("archived", sa.Text),
        sa.UniqueConstraint("author", "key", name="plans_by_name"),
    )
    op.create_table(
        "facts", sa.Column("digest", sa.Text, primary_key=True), sa.Column("packed", sa.LargeBinary, nullable=False)
    )
    op.create_table(
        "versions",
        sa.Column("plan", sa.Integer, sa.ForeignKey("plans.id"), primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("saved", sa.Text, nullable=False),
        sa.Column("person", sa.Text, nullable=False),
        sa.Column("release", sa.Text, nullable=False),
        sa.Column("day", sa.Text, nullable=False),
        sa.Column("facts", sa.Text, sa.ForeignKey("facts.digest"), nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("link", sa.Text, nullable=False),
        sa.Column("result", sa.Text, nullable=False),
    )
