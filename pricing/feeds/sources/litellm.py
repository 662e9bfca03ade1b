"""LiteLLM's list of what hosted models cost for each token, by who sells them."""

from collections.abc import Iterator

from pricing.feeds.feed import AnyObservation, Feed, Fetcher, HostedPriceObservation
from pricing.feeds.parsing import Row, Rows, Told, number, positive, text

URL = "https://raw.githubusercontent.com/BerriAI/litellm/main/model_prices_and_context_window.json"
EXAMPLE = "sample_spec"  # explains the fields
MODES = frozenset({"chat", "completion", "responses", "embedding"})
MILLION = 1e6
DIGITS = 9


def read(ask: Fetcher) -> Told:
    """The one file."""
    rows = Rows("LiteLLM")
    reply = ask.get(URL)
    told: set[tuple[str, str]] = set()
    for name, row in rows.table_at(reply.json()).items():
        if name != EXAMPLE and row.get("mode") in MODES:
            for _, one in rows.each(reply, _model, {"name": name, **row}):
                same = (one.vendor, one.model) if isinstance(one, HostedPriceObservation) else ("", name)
                if same not in told:  # some stand there with and without their seller's name in front
                    yield reply, one
                told.add(same)
    rows.check()


def _model(rows: Rows, row: Row) -> Iterator[AnyObservation]:
    """Only the seller's own name is taken off: `perplexity/perplexity/sonar` is another model than its `sonar`."""
    if odd := rows.lacks(row, "litellm_provider"):
        yield odd
        return
    vendor = text(row["litellm_provider"])
    sent = _per_million(row.get("input_cost_per_token"))
    if positive(sent) is None or sent is None:
        return
    yield HostedPriceObservation(
        vendor=vendor,
        model=text(row["name"]).removeprefix(f"{vendor}/"),
        input_usd_per_mtoken=sent,
        output_usd_per_mtoken=_per_million(row.get("output_cost_per_token")),
        cached_input_usd_per_mtoken=_per_million(row.get("cache_read_input_token_cost")),
    )


def _per_million(price: object) -> float | None:
    value = number(price)
    return None if value is None else round(value * MILLION, DIGITS)


FEED = Feed(
    name="litellm",
    label="LiteLLM",
    page="https://github.com/BerriAI/litellm",
    hosts=("raw.githubusercontent.com",),
    licence="MIT",
    read=read,
    kind="hosted",
    via="third_party",
)
