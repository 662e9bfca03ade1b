"""One row of a quote file: what it means, what can be wrong with it, what is asked about it."""

from datetime import date
from typing import Any

from tests.facts import DAY
from tests.pricing.quoting import HEADER, PER_CHIP, card, discount, eight, hardware, offer, priced, read, row
from tests.rows import each_row

# Rows that are right

RIGHT = [
    ("offer", priced("3.25"), {"usd_per_accelerator_hour": 3.25, "accelerators_per_instance": 1}),
    ("defaults", offer(), {"region": "yours", "area": "not_stated", "purchase": "on_demand", "valid_from": DAY}),
    ("ask-for-a-quote", priced(""), {"usd_per_accelerator_hour": None, "price": None}),
    ("instance-price", eight(usd_per_instance_hour="26"), {"price": 3.25}),
    ("both-prices", eight(usd_per_accelerator_hour="3.25", usd_per_instance_hour="26"),
     {"price": 3.25, "usd_per_instance_hour": 26.0}),
    ("both-prices-rounded", eight(usd_per_accelerator_hour="3.33", usd_per_instance_hour="26.6"), {"price": 3.33}),
    ("dearest", priced("1000"), {"price": 1000.0}),
    ("tiny", priced("1e-6"), {"price": 1e-6}),
    ("known-provider", offer(provider="NORTH-cloud"), {"provider": "northcloud", "provider_label": "North Cloud"}),
    ("provider-by-alias", offer(provider="northcloud inc"), {"provider": "northcloud"}),
    ("own-provider", offer(), {"provider": "yours/Acme", "provider_label": "Acme"}),
    ("provider-in-other-letters", offer(provider="北雲"), {"provider_label": "北雲"}),
    ("accelerator-loosely", offer(accelerator="NVIDIA H100 SXM5, 80 GB"), {"accelerator": "H100-SXM5-80GB"}),
    ("purchase-loosely", offer(purchase="Reserved 1y"), {"purchase": "reserved_1y"}),
    ("purchase-hyphen", offer(purchase="On-Demand"), {"purchase": "on_demand"}),
    ("area", offer(area="North America"), {"area": "north_america"}),
    ("region", offer(region="Frankfurt (DE)"), {"region": "Frankfurt (DE)"}),
    ("dollars", priced("3", currency="usd"), {"price": 3.0}),
    ("days", offer(valid_from="2026-01-31", valid_until="2026-11-21"),
     {"valid_from": date(2026, 1, 31), "valid_until": date(2026, 11, 21)}),
    ("note", offer(note="call Ann, then sign"), {"note": "call Ann, then sign"}),
    ("guarded-formula", offer(note="'=1+1"), {"note": "=1+1"}),
    ("guarded-at", offer(note="' @SUM(A1)"), {"note": "@SUM(A1)"}),
    ("guarded-full-width", offer(note="'＝1+1"), {"note": "＝1+1"}),
    ("guarded-negative", offer(provider="'-5 degrees"), {"provider_label": "-5 degrees"}),
    ("own-apostrophe", offer(region="'s-Hertogenbosch"), {"region": "'s-Hertogenbosch"}),
    ("apostrophe-inside", offer(note="it's =1"), {"note": "it's =1"}),
    ("two-apostrophes", offer(note="''=1"), {"note": "''=1"}),
    ("html", offer(provider="<script>alert(1)</script>"), {"provider_label": "<script>alert(1)</script>"}),
    ("spaces", priced("  3.25 "), {"price": 3.25}),
    ("exponent", priced("3.25e0"), {"price": 3.25}),
    ("longest-note", offer(note="x" * 200), {"note": "x" * 200}),
    ("discount", discount(), {"discount_share": 0.18, "accelerator": None, "purchase": None}),
    ("narrow-discount", discount(accelerator="h100 sxm", purchase="spot", region="eu-1", accelerators_per_instance="8"),
     {"accelerator": "H100-SXM5-80GB", "purchase": "spot", "region": "eu-1", "accelerators_per_instance": 8}),
    ("card", card(), {"accelerator": "H100-SXM5-80GB", "server": None, "price_usd": 30000.0}),
    ("card-with-range", card(low_usd="29000", high_usd="30000"), {"low_usd": 29000.0, "high_usd": 30000.0}),
    ("server", hardware(server="hgx-h100-8", price_usd="280000"), {"server": "HGX-H100-8", "accelerator": None}),
    ("server-by-count", card(accelerators="8", price_usd="280000"), {"server": "HGX-H100-8", "accelerator": None}),
    ("server-and-its-count", card(server="HGX-H100-8", accelerators="8", price_usd="280000"),
     {"server": "HGX-H100-8", "accelerator": None}),
    ("kind-in-capitals", row(kind="OFFER", provider="Acme", accelerator="h100-sxm"), {"provider_label": "Acme"}),
    # the kind, told by the cells that are filled
    ("offer-told", row(provider="Acme", accelerator="h100-sxm", usd_per_accelerator_hour="3"), {"price": 3.0}),
    ("unpriced-told", row(provider="Acme", accelerator="h100-sxm"), {"price": None}),
    ("discount-told", row(provider="North Cloud", discount_share="0.18"), {"discount_share": 0.18}),
    ("hardware-told", row(accelerator="h100-sxm", price_usd="30000"), {"price_usd": 30000.0}),
]  # fmt: skip


@each_row(("text", "said"), [case[1:] for case in RIGHT])
def test_a_right_row_is_kept_as_it_was_meant(text: str, said: dict[str, Any]) -> None:
    quotes = read(text)
    assert quotes.problems == ()
    (quote,) = quotes.offers + quotes.discounts + quotes.hardware
    assert {name: getattr(quote, name) for name in said} == said
    assert quote.line == 2


# Rows that are wrong

WRONG = [
    ("word", priced("free"), PER_CHIP, "a price above 0 and at most 1,000 USD", "free"),
    ("zero", priced("0"), PER_CHIP, "leave it empty to ask for a quote", "0"),
    ("negative", priced("-3"), PER_CHIP, "a price above 0", "-3"),
    ("too-dear", priced("1000.01"), PER_CHIP, "at most 1,000 USD", "1000.01"),
    ("nan", priced("nan"), PER_CHIP, "a price above 0", "nan"),
    ("inf", priced("inf"), PER_CHIP, "a price above 0", "inf"),
    ("overflow", priced("1e999"), PER_CHIP, "at most 1,000 USD", "1e999"),
    ("hex", priced("0x10"), PER_CHIP, "a plain number", "0x10"),
    ("underscore", priced("1_0"), PER_CHIP, "a plain number", "1_0"),
    ("other-digits", priced("٣"), PER_CHIP, "a price above 0", "٣"),
    ("comma", priced("3,25"), PER_CHIP, "a decimal point: 3.25", "3,25"),
    ("thousands", card(price_usd="31,234.50"), "price_usd", "without thousands separators", "31,234.50"),
    ("thousands-only", card(price_usd="31,234"), "price_usd", "without thousands separators", "31,234"),
    ("swiss-thousands", card(price_usd="31'234"), "price_usd", "without thousands", "31'234"),
    ("spaced-thousands", card(price_usd="31 234"), "price_usd", "without thousands", "31 234"),
    ("dollar-sign", priced("$3.99"), PER_CHIP, "such as 3.99", "$3.99"),
    ("unit", priced("3.99 USD"), PER_CHIP, "without currency or unit", "3.99 USD"),
    ("per-hour", priced("3.99/h"), PER_CHIP, "such as 3.99", "3.99/h"),
    ("euro", priced("3", currency="EUR"), "currency", "USD (prices are in US dollars", "EUR"),
    ("currency-unclear", priced("3", currency="US$"), "currency", "USD", "US$"),
    ("prices-differ", eight(usd_per_accelerator_hour="3", usd_per_instance_hour="25"),
     "usd_per_instance_hour", "24 (8 x 3), or one of the two prices left empty", "25"),
    ("instance-too-dear", eight(usd_per_instance_hour="8001"),
     "usd_per_instance_hour", "at most 8,000 USD for 8", "8001"),
    ("instance-free", offer(usd_per_instance_hour="0"), "usd_per_instance_hour", "a price above 0", "0"),
    ("no-instance", offer(accelerators_per_instance="0"), "accelerators_per_instance",
     "a whole number from 1 to 100,000", "0"),
    ("half-instance", offer(accelerators_per_instance="0.5"), "accelerators_per_instance", "a whole number", "0.5"),
    ("eight-point-oh", offer(accelerators_per_instance="8.0"), "accelerators_per_instance", "a whole number", "8.0"),
    ("many", offer(accelerators_per_instance="100001"), "accelerators_per_instance", "to 100,000", "100001"),
    ("count-in-words", offer(accelerators_per_instance="8x"), "accelerators_per_instance", "a whole number", "8x"),
    ("no-provider", offer(provider=""), "provider", "a provider's name", ""),
    ("long-provider", offer(provider="x" * 201), "provider", "at most 200 characters", "x" * 59 + "…"),
    ("provider-with-newline", offer(provider="A\nB"), "provider", "one line of text", "A\nB"),
    ("provider-turned-around", offer(provider="A\u202eB"), "provider", "invisible characters", "A\u202eB"),
    ("escape-in-note", offer(note="a\x1b[31mb"), "note", "control", "a\x1b[31mb"),
    ("no-accelerator", offer(accelerator=""), "accelerator", "an accelerator of the catalogue", ""),
    ("unknown-accelerator", offer(accelerator="H1000"), "accelerator", "did you mean", "H1000"),
    ("strange-accelerator", offer(accelerator="abacus"), "accelerator", "an accelerator of the catalogue", "abacus"),
    ("ambiguous", offer(accelerator="H100"), "accelerator", "H100-SXM5-80GB or H100-PCIe-80GB (the name covers",
     "H100"),
    ("purchase", offer(purchase="spott"), "purchase", "(did you mean 'spot'?)", "spott"),
    ("area", offer(area="Mars"), "area", "north_america", "Mars"),
    ("german-day", offer(valid_from="31.01.2026"), "valid_from", "a day such as 2026-01-31", "31.01.2026"),
    ("compact-day", offer(valid_from="20260131"), "valid_from", "a day such as 2026-01-31", "20260131"),
    ("week-day", offer(valid_from="2026-W05-6"), "valid_from", "a day such as", "2026-W05-6"),
    ("no-such-day", offer(valid_until="2026-02-30"), "valid_until", "a day of the calendar", "2026-02-30"),
    ("expired", offer(valid_until="2026-11-20"), "valid_until", "this quote has expired and is not used", "2026-11-20"),
    ("not-yet", offer(valid_from="2026-11-22"), "valid_from", "does not hold yet and is not used", "2026-11-22"),
    ("percent-sign", discount(discount_share="18%"), "discount_share", "a share: 0.18 for 18%", "18%"),
    ("percent", discount(discount_share="18"), "discount_share", "a share: 0.18 for 18 %", "18"),
    ("percent-with-point", discount(discount_share="7.5 %"), "discount_share", "a share: 0.075 for 7.5 %", "7.5 %"),
    ("whole-price", discount(discount_share="1"), "discount_share", "a share: 0.01 for 1 %", "1"),
    ("no-share", discount(discount_share="0"), "discount_share", "a share above 0 and below 1, such as 0.18", "0"),
    ("surcharge", discount(discount_share="-0.1"), "discount_share", "a share above 0 and below 1", "-0.1"),
    ("hundred", discount(discount_share="100"), "discount_share", "a share above 0 and below 1", "100"),
    ("empty-share", discount(discount_share=""), "discount_share", "a share above 0 and below 1", ""),
    ("discount-of-nobody", discount(provider="Acme"), "provider", "a provider of the catalogue", "Acme"),
    ("discount-misspelt", discount(provider="Nort Cloud"), "provider", "did you mean northcloud", "Nort Cloud"),
    ("discount-ambiguous", discount(accelerator="H100"), "accelerator", "H100-SXM5-80GB or H100-PCIe-80GB", "H100"),
    ("discount-with-price", discount(usd_per_accelerator_hour="3"), PER_CHIP, "nothing here", "3"),
    ("free-card", card(price_usd="0"), "price_usd", "a price above 0", "0"),
    ("golden-card", card(price_usd="10000001"), "price_usd", "at most 10,000,000", "10000001"),
    ("unpriced-card", card(price_usd=""), "price_usd", "a price above 0", ""),
    ("low-above", card(low_usd="30001"), "low_usd", "at most the price, 30000", "30001"),
    ("high-below", card(high_usd="29999"), "high_usd", "at least the price, 30000", "29999"),
    ("price-of-what", hardware(), "accelerator", "an accelerator, or a server, of the catalogue", ""),
    ("unknown-server", hardware(server="HGX H200"), "server", "a server of the catalogue", "HGX H200"),
    ("server-misspelt", hardware(server="HGX-H100"), "server", "did you mean HGX-H100-8", "HGX-H100"),
    ("two-such-servers", hardware(accelerator="rtx 4090", accelerators="8"), "server",
     "Tower-4090-8 or Rack-4090-8", ""),
    ("no-such-server", hardware(accelerator="rtx 4090", accelerators="3"), "accelerators",
     "leave it empty for the price", "3"),
    ("server-of-others", hardware(server="HGX-H100-8", accelerator="rtx 4090"), "accelerator",
     "H100-SXM5-80GB, as in", "rtx 4090"),
    ("server-of-another-size", hardware(server="HGX-H100-8", accelerators="4"), "accelerators", "8, as in HGX H100",
     "4"),
    ("hardware-by-region", card(region="eu-1"), "region", "nothing here", "eu-1"),
    ("count-in-the-wrong-column", offer(accelerators="8"), "accelerators",
     "(did you mean 'accelerators_per_instance'?)", "8"),
    ("kind", row(kind="ofer", provider="Acme"), "kind", "offer, discount or hardware (did you mean 'offer'?)", "ofer"),
    ("kind-unclear", row(provider="Acme", discount_share="0.1", price_usd="3"), "kind",
     "could be discount or hardware", ""),
    ("kind-untold", row(accelerator="h100-sxm", note="?"), "kind", "nothing in the row tells which", ""),
]  # fmt: skip


@each_row(("text", "column", "wish", "got"), [case[1:] for case in WRONG])
def test_a_wrong_row_is_listed_with_line_column_and_wish(text: str, column: str, wish: str, got: str) -> None:
    quotes = read(text)
    assert quotes.offers + quotes.discounts + quotes.hardware == ()
    (problem,) = quotes.problems
    assert (problem.line, problem.column, problem.got) == (2, column, got)
    assert wish in problem.wanted
    sentence = str(problem)
    assert sentence.startswith(f"Line 2, {column}: want {problem.wanted}, got ")
    assert sentence.endswith(f"{got!r}." if got else "got nothing.")
    assert "\n" not in sentence


def test_the_sentence_of_a_problem_reads_well() -> None:
    (problem,) = read(priced("free")).problems
    wish = "a price above 0 and at most 1,000 USD (leave it empty to ask for a quote)"
    assert str(problem) == f"Line 2, usd_per_accelerator_hour: want {wish}, got 'free'."


def test_all_that_is_wrong_in_a_row_is_said_at_once() -> None:
    quotes = read(
        offer(accelerator="H100", usd_per_accelerator_hour="$3", valid_until="soon", area="Mars", currency="EUR")
    )
    wrong = {"accelerator", PER_CHIP, "valid_until", "area", "currency"}
    assert {problem.column for problem in quotes.problems} == wrong


def test_good_rows_are_kept_and_bad_ones_listed() -> None:
    quotes = read(HEADER + "Acme,h100-sxm,3\nAcme,h100-sxm,free\n\nBeta,H100,3\nBeta,h100-pcie,2\n")
    assert [(quote.line, quote.provider_label) for quote in quotes.offers] == [(2, "Acme"), (6, "Beta")]
    assert [(problem.line, problem.column) for problem in quotes.problems] == [
        (3, "usd_per_accelerator_hour"),
        (5, "accelerator"),
    ]


def test_problems_stand_in_the_order_of_the_file() -> None:
    quotes = read(HEADER + "Acme,h100-sxm,free\nAcme,h100-sxm,3,4\nAcme,H100,3\n")
    assert [problem.line for problem in quotes.problems] == [2, 3, 4]


# Rows that are kept with a question

NORTH = {"provider": "North Cloud", "accelerators_per_instance": "8", "region": "eu-1"}
QUESTIONS = [
    ("far-above", priced("15.5"), PER_CHIP, "15.5 is 5.17 times the catalogue's usual 3"),
    ("far-below", priced("0.5"), PER_CHIP, "0.5 is 6 times less than"),
    ("whole-instance", eight(usd_per_accelerator_hour="26"), PER_CHIP, "(or is it the price of the whole instance?)"),
    ("far-instance", eight(usd_per_instance_hour="3.25"), "usd_per_instance_hour", "times less than"),
    ("thousands", offer(accelerator="tpu v6e", usd_per_accelerator_hour="32.500"), "usd_per_accelerator_hour",
     "it is read as 32.5, write 32500 if that was meant"),
    ("card-thousands", hardware(accelerator="rtx 4090", price_usd="1.850"), "price_usd", "read as 1.85, write 1850"),
    ("cheap-card", card(price_usd="31.5"), "price_usd", "952 times less than the catalogue's usual 30000"),
    ("dear-server", hardware(server="HGX-H100-8", price_usd="2000000"), "price_usd", "2000000 is 6.9 times"),
    ("rented-only", hardware(accelerator="tpu v6e"), "accelerator", "only rented out"),
    ("near-name", offer(provider="Nort Cloud"), "provider",
     "North Cloud is in the catalogue, this is taken as another"),
    ("no-region", offer(**{**NORTH, "region": "", "usd_per_accelerator_hour": "3"}), "region", "say eu-1 or us-1"),
    ("no-price", offer(**NORTH), PER_CHIP, "the catalogue's stays where a row has none"),
    ("deep-discount", discount(discount_share="0.82"), "discount_share", "it leaves 18 % of the list price to pay"),
    ("idle-discount", discount(accelerator="rtx 4090"), "provider", "no offer of the catalogue fits, nothing changes"),
]  # fmt: skip


@each_row(("text", "column", "ask"), [case[1:] for case in QUESTIONS])
def test_what_looks_odd_is_asked_about_and_kept(text: str, column: str, ask: str) -> None:
    quotes = read(text)
    assert quotes.problems == ()
    assert len(quotes.offers + quotes.discounts + quotes.hardware) == 1
    (question,) = quotes.questions
    assert (question.line, question.column) == (2, column)
    assert question.wanted.startswith("check ")
    assert ask in question.wanted
    assert str(question).startswith(f"Line 2, {column}: check ")


UNSUSPICIOUS = [
    ("three-decimals", priced("2.125")), ("five-times", priced("15")), ("a-fifth", priced("0.6")),
    ("no-price-known", offer(accelerator="tpu v6e", usd_per_accelerator_hour="32.5")),
    ("own-provider", offer(provider="Northern Lights")),
    ("own-region", offer(**{**NORTH, "region": "mars-1", "usd_per_accelerator_hour": "3"})),
    ("card", card(price_usd="31000")), ("discount", discount()),
]  # fmt: skip


@each_row("text", [case[1] for case in UNSUSPICIOUS])
def test_what_looks_right_is_not_asked_about(text: str) -> None:
    quotes = read(text)
    assert (quotes.problems, quotes.questions) == ((), ())


def test_two_rows_that_say_the_same_are_asked_about_once() -> None:
    quotes = read(HEADER + "Acme,h100-sxm,3\nACME,H100 SXM5,3.1\nAcme,h100-pcie,3\n")
    assert [str(q) for q in quotes.questions] == [
        "Line 3: check which one holds: line 2 says the same, the later row is used."
    ]


def test_a_price_that_a_doubted_offer_has_is_no_measure() -> None:
    assert read(offer(accelerator="h100-pcie", usd_per_accelerator_hour="9")).questions == ()
