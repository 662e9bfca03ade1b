"""The tables of kept plans, as the last migration leaves them."""

import sqlalchemy as sa

HEAD = "0003"  # the last migration
METADATA = sa.MetaData()

PLANS = sa.Table(
    "plans", METADATA,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("author", sa.Text, nullable=False),  # empty: the people of this machine
    sa.Column("key", sa.Text, nullable=False),  # the name in small letters
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("folder", sa.Text, nullable=False),  # or cost centre
    sa.Column("tags", sa.Text, nullable=False),  # a JSON list
    sa.Column("archived", sa.Text),  # when; None: it is in use
    sa.UniqueConstraint("author", "key", name="plans_by_name"),
)  # fmt: skip
FACTS = sa.Table(
    "facts", METADATA,
    sa.Column("digest", sa.Text, primary_key=True),
    sa.Column("packed", sa.LargeBinary, nullable=False),  # the catalogue as JSON, packed
)  # fmt: skip
VERSIONS = sa.Table(
    "versions", METADATA,
    sa.Column("plan", sa.Integer, sa.ForeignKey("plans.id"), primary_key=True),
    sa.Column("number", sa.Integer, primary_key=True),
    sa.Column("saved", sa.Text, nullable=False),  # when
    sa.Column("person", sa.Text, nullable=False),  # by whom
    sa.Column("release", sa.Text, nullable=False),  # of the program that calculated it
    sa.Column("day", sa.Text, nullable=False),  # of the plan
    sa.Column("facts", sa.Text, sa.ForeignKey("facts.digest"), nullable=False),
    sa.Column("text", sa.Text, nullable=False),  # the file of the plan
    sa.Column("link", sa.Text, nullable=False),  # empty where a link cannot hold it
    sa.Column("result", sa.Text, nullable=False),  # title, best option and measures, a JSON record
)  # fmt: skip
SHARES = sa.Table(
    "shares", METADATA,
    sa.Column("plan", sa.Integer, sa.ForeignKey("plans.id"), primary_key=True),
    sa.Column("person", sa.Text, primary_key=True),  # an e-mail address, @group, or * for everyone who has signed in
    sa.Column("level", sa.Integer, nullable=False),  # a number of `access.Right`
)  # fmt: skip
TRAIL = sa.Table(  # takes new rows only
    "trail", METADATA,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("at", sa.DateTime(timezone=True), server_default=sa.func.now(), nullable=False),
    sa.Column("plan", sa.Integer, sa.ForeignKey("plans.id"), nullable=False),
    sa.Column("person", sa.Text, nullable=False),
    sa.Column("what", sa.Text, nullable=False),
    sa.Column("about", sa.Text, nullable=False),
)  # fmt: skip
SIGN_OUTS = sa.Table(
    "sign_outs", METADATA,
    sa.Column("digest", sa.Text, primary_key=True),  # of the token of a sign-in
    sa.Column("at", sa.Text, nullable=False),
)  # fmt: skip
ACTUALS = sa.Table(
    "actuals", METADATA,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("plan", sa.Integer, sa.ForeignKey("plans.id"), nullable=False),
    sa.Column("version", sa.Integer, nullable=False),
    sa.Column("imported", sa.Text, nullable=False),  # when
    sa.Column("person", sa.Text, nullable=False),  # by whom
    sa.Column("bill", sa.Text, nullable=False),  # its sums by month of the plan, a JSON record
)  # fmt: skip
