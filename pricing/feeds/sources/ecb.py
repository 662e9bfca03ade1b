"""The European Central Bank: exchange rates of each working day, converted from euros into dollars."""

from xml.etree import ElementTree

from pricing.feeds.feed import ExchangeRateObservation, Feed, Fetcher
from pricing.feeds.parsing import Observations, ReplyRows, by_rows, day, positive

URL = "https://www.ecb.europa.eu/stats/eurofxref/eurofxref-daily.xml"
RATE = ".//{*}Cube[@currency][@rate]"
DAY = ".//{*}Cube[@time]"
UNSAFE = ("<!doctype", "<!entity")  # what can make a small file large, or read others


@by_rows("ECB")
def read(ask: Fetcher, rows: ReplyRows) -> Observations:
    reply = ask.get(URL)
    xml = reply.text()
    if any(mark in xml.casefold() for mark in UNSAFE):
        raise rows.wrong("it declares a type of document, which it never did")
    try:
        root = ElementTree.fromstring(xml)
    except ElementTree.ParseError as error:
        raise rows.wrong("it is no XML, or only a part of it") from error
    dated = root.find(DAY)
    per_euro = {cube.get("currency", ""): positive(cube.get("rate")) for cube in root.iterfind(RATE)}
    dollars = per_euro.get("USD")
    if dollars is None:
        raise rows.wrong(f"want the worth of a euro in USD, got {len(per_euro)} other currencies")
    on = day(dated.get("time")) if dated is not None else None
    yield reply, ExchangeRateObservation("EUR", dollars, on)
    for code, rate in per_euro.items():
        if rate and code != "USD":
            yield reply, ExchangeRateObservation(code, dollars / rate, on)


FEED = Feed(
    "ecb", "European Central Bank",
    "https://www.ecb.europa.eu/stats/policy_and_exchange_rates/euro_reference_exchange_rates/",
    ("www.ecb.europa.eu",), "free to reuse where the source is named", read, "exchange",
)  # fmt: skip
