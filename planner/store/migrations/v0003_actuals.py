"""Bills that were imported for versions of plans."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "actuals",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("plan", sa.Integer, sa.ForeignKey("plans.id"), nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("imported", sa.Text, nullable=False),
        sa.Column("person", sa.Text, nullable=False),
        sa.Column("bill", sa.Text, nullable=False),
    )
