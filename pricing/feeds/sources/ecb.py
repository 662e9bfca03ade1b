"""The European Central Bank: what currencies are worth, each working day, reckoned from euros into dollars."""

from xml.etree import ElementTree

from pricing.feeds.feed import ExchangeRateObservation, Feed, Fetcher
from pricing.feeds.parsing import Rows, Told, day, positive

URL = "https://www.ecb.europa.eu/stats/eurofxref/eurofxref-daily.xml"
RATE = ".//{*}Cube[@currency][@rate]"
DAY = ".//{*}Cube[@time]"
UNSAFE = ("<!doctype", "<!entity")  # what can make a small file large, or read others


def read(ask: Fetcher) -> Told:
    """The one file."""
    rows = Rows("ECB")
    reply = ask.get(URL)
    told = reply.text()
    if any(mark in told.casefold() for mark in UNSAFE):
        raise rows.wrong("it declares a type of document, which it never did")
    try:
        root = ElementTree.fromstring(told)
    except ElementTree.ParseError as error:
        raise rows.wrong("it is no XML, or only a part of it") from error
    dated = root.find(DAY)
    per_euro = {one.get("currency", ""): positive(one.get("rate")) for one in root.iterfind(RATE)}
    dollars = per_euro.get("USD")
    if dollars is None:
        raise rows.wrong(f"want what a euro is in USD, got {len(per_euro)} other currencies")
    made = day(dated.get("time")) if dated is not None else None
    yield reply, ExchangeRateObservation("EUR", dollars, made)
    for code, rate in per_euro.items():
        if rate and code != "USD":
            yield reply, ExchangeRateObservation(code, dollars / rate, made)


FEED = Feed(
    name="ecb",
    label="European Central Bank",
    page="https://www.ecb.europa.eu/stats/policy_and_exchange_rates/euro_reference_exchange_rates/",
    hosts=("www.ecb.europa.eu",),
    licence="free to reuse where the source is named",
    read=read,
    kind="exchange",
)
