"""Who may see a plan besides its author, who changed what, and which sign-ins have ended."""

import sqlalchemy as sa
from alembic import op

from pricing.feeds.database import only_grows

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Make the tables; the trail takes new lines only."""
    op.create_table(
        "shares",
        sa.Column("plan", sa.Integer, sa.ForeignKey("plans.id"), primary_key=True),
        sa.Column("person", sa.Text, primary_key=True),
        sa.Column("level", sa.Integer, nullable=False),
    )
    op.create_table(
        "trail",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("at", sa.DateTime(timezone=True), server_default=sa.func.now(), nullable=False),
        sa.Column("plan", sa.Integer, sa.ForeignKey("plans.id"), nullable=False),
        sa.Column("person", sa.Text, nullable=False),
        sa.Column("what", sa.Text, nullable=False),
        sa.Column("about", sa.Text, nullable=False),
    )
    op.create_table(
        "sign_outs", sa.Column("digest", sa.Text, primary_key=True), sa.Column("at", sa.Text, nullable=False)
    )
    for statement in only_grows("trail", op.get_context().dialect.name):
        op.execute(statement)
