"""A quote file as a whole: however people and programs write it, it is read; a hopeless one is refused."""

from datetime import date

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pricing.catalogue import Catalogue
from pricing.errors import QuoteError
from pricing.quotes import COLUMNS, MAX_BYTES, MAX_ROWS, TEMPLATE_CSV, parse_quotes
from tests.facts import DAY
from tests.pricing.quoting import GOOD_ROW, HEADER, PER_CHIP, read
from tests.rows import each_row

# Files as programs and people write them

WRITTEN = [
    ("commas", "provider,accelerator,usd_per_accelerator_hour\nAcme,h100-sxm,3.25\n"),
    ("semicolons", "provider;accelerator;usd_per_accelerator_hour\nAcme;h100-sxm;3.25\n"),
    ("decimal-comma", "provider;accelerator;usd_per_accelerator_hour\nAcme;h100-sxm;3,25\n"),
    ("tabs", "provider\taccelerator\tusd_per_accelerator_hour\nAcme\th100-sxm\t3.25\n"),
    ("windows", "provider,accelerator,usd_per_accelerator_hour\r\nAcme,h100-sxm,3.25\r\n"),
    ("old-mac", "provider,accelerator,usd_per_accelerator_hour\rAcme,h100-sxm,3.25\r"),
    ("bom", "\ufeffprovider,accelerator,usd_per_accelerator_hour\nAcme,h100-sxm,3.25\n"),
    ("bom-in-quotes", '\ufeff"provider","accelerator","usd_per_accelerator_hour"\n"Acme","h100-sxm","3.25"\n'),
    ("no-last-newline", "provider,accelerator,usd_per_accelerator_hour\nAcme,h100-sxm,3.25"),
    ("header-as-said", " Provider , ACCELERATOR,USD per accelerator-hour\nAcme,h100-sxm,3.25\n"),
    ("excel-hint", "sep=;\nprovider;accelerator;usd_per_accelerator_hour\nAcme;h100-sxm;3,25\n"),
    ("empty-columns", "provider,accelerator,usd_per_accelerator_hour,,\nAcme,h100-sxm,3.25,,\n,,,,\n"),
    ("short-rows", "provider,accelerator,usd_per_accelerator_hour,note,region\nAcme,h100-sxm,3.25\n"),
    ("json", '{"quotes": [{"provider": "Acme", "accelerator": "h100-sxm", "usd_per_accelerator_hour": 3.25}]}'),
    ("yaml-by-look", "quotes:\n- provider: Acme\n  accelerator: h100-sxm\n  usd_per_accelerator_hour: 3.25\n"),
    ("yaml-with-remark",
     "# ours\n---\nquotes: [{provider: Acme, accelerator: h100-sxm, usd_per_accelerator_hour: 3.25}]\n"),
    ("yaml-number-in-quotes", "quotes: [{provider: Acme, accelerator: h100-sxm, usd_per_accelerator_hour: '3.25'}]\n"),
    ("yaml-nulls",
     "quotes: [{provider: Acme, accelerator: h100-sxm, usd_per_accelerator_hour: 3.25, note: null, region: ''}]"),
]  # fmt: skip


@each_row("text", [case[1] for case in WRITTEN])
def test_however_it_is_written_it_says_the_same(text: str) -> None:
    quotes = read(text)
    assert quotes.problems == ()
    (quote,) = quotes.offers
    assert (quote.provider, quote.accelerator, quote.price) == ("yours/Acme", "H100-SXM5-80GB", 3.25)
    assert (quote.region, quote.note) == ("yours", None)


@pytest.mark.parametrize("name", ["prices.csv", "prices.txt", "prices", "PRICES.CSV", "prices.yaml.csv"])
def test_the_name_does_not_make_a_csv(name: str) -> None:
    assert len(read(HEADER + GOOD_ROW, name).offers) == 1


WRONG_YAML = [
    ("unknown-key", "{provider: Acme, price: 3}", "price", "a known column (did you mean 'price_usd'?)", "price"),
    ("key-twice", "{provider: Acme, Provider: B}", "provider", "each column once", "Provider"),
    ("list", "{provider: [Acme]}", "provider", "one plain value", "('Acme',)"),
    ("word", "Acme", "", "a row of keys and values", "Acme"),
    ("nothing", "null", "", "a row of keys and values", "None"),
    ("number-for-text", "{provider: 7, accelerator: h100-sxm}", "provider", "text (in YAML, put it in quotes)", "7"),
    ("day-for-text", "{provider: 2026-01-01, accelerator: h100-sxm}", "provider", "text", "2026-01-01"),
    ("truth-for-price", "{provider: A, accelerator: h100-sxm, usd_per_accelerator_hour: true}",
     PER_CHIP, "a price above 0", "True"),
    ("truth-for-count", "{provider: A, accelerator: h100-sxm, accelerators_per_instance: true}",
     "accelerators_per_instance", "a whole number", "True"),
    ("comma", "{provider: A, accelerator: h100-sxm, usd_per_accelerator_hour: '3,25'}",
     PER_CHIP, "a decimal point: 3.25", "3,25"),
    ("dollar", "{provider: A, accelerator: h100-sxm, usd_per_accelerator_hour: $3.99}",
     PER_CHIP, "such as 3.99", "$3.99"),
    ("percent", "{provider: North Cloud, discount_share: 18%}", "discount_share", "0.18 for 18%", "18%"),
    ("percent-number", "{provider: North Cloud, discount_share: 18}", "discount_share", "0.18 for 18 %", "18"),
    ("number-for-day", "{provider: A, accelerator: h100-sxm, valid_from: 2026}", "valid_from", "a day such as", "2026"),
]  # fmt: skip


@each_row(("item", "column", "wish", "got"), [c[1:] for c in WRONG_YAML])
def test_a_wrong_yaml_row_is_listed(item: str, column: str, wish: str, got: str) -> None:
    good = "{provider: Acme, accelerator: h100-sxm}"
    quotes = read(f"quotes:\n- {good}\n\n- {item}\n- {good}\n", "prices.yml")
    assert [quote.line for quote in quotes.offers] == [2, 5]
    (problem,) = quotes.problems
    assert (problem.line, problem.column, problem.got) == (4, column, got)
    assert wish in problem.wanted


def test_lines_are_counted_as_an_editor_counts_them() -> None:
    text = 'provider,accelerator,note\n\nAcme,h100-sxm,"one, two"\n,,\nAcme,H100,\n"Acme\nInc",h100-sxm,\nAcme,H101,\n'
    quotes = read(text)
    assert [quote.line for quote in quotes.offers] == [3]
    assert [(p.line, p.column) for p in quotes.problems] == [(5, "accelerator"), (6, "provider"), (8, "accelerator")]


def test_a_row_of_yaml_over_many_lines_stands_where_it_begins() -> None:
    first = "  # the first\n  - provider: Acme\n    accelerator: h100-sxm\n"
    text = f"quotes:\n{first}\n  -\n    provider: Acme\n    accelerator: H100\n"
    quotes = read(text, "prices.yaml")
    assert [quote.line for quote in quotes.offers] == [3]
    assert [problem.line for problem in quotes.problems] == [7]


def test_a_row_with_too_many_cells_is_listed_with_the_usual_reason() -> None:
    quotes = read(HEADER + "Acme,h100-sxm,3,25\n" + GOOD_ROW)
    (problem,) = quotes.problems
    assert (problem.line, problem.column, problem.got) == (2, "", "25")
    assert "3 cells, as many as the header has" in problem.wanted
    assert "a decimal is written 3.25" in problem.wanted
    assert len(quotes.offers) == 1


def test_a_quote_that_is_never_closed_costs_only_what_it_swallows() -> None:
    quotes = read(HEADER + GOOD_ROW + '"Acme,h100-sxm,3\n' + GOOD_ROW)
    (problem,) = quotes.problems
    assert problem.line == 3
    assert "double quote closed" in problem.wanted
    assert [quote.line for quote in quotes.offers] == [2]


def test_a_sloppy_quote_costs_only_its_row() -> None:
    quotes = read(HEADER + '"Acme"x,h100-sxm,3\n' + GOOD_ROW)
    assert [problem.line for problem in quotes.problems] == [2]
    assert [quote.line for quote in quotes.offers] == [3]


# Files that are refused as a whole

REFUSED = [
    ("empty", b"", "is empty"),
    ("blank", b" \n\t\n", "is empty"),
    ("only-bom", b"\xef\xbb\xbf", "is empty"),
    ("too-large", b"x" * (MAX_BYTES + 1), f"is too long: want at most {MAX_BYTES:,} bytes"),
    ("xlsx", b"PK\x03\x04\x14\x00", "looks like an Excel workbook or another ZIP archive: save it as CSV"),
    ("xls", b"\xd0\xcf\x11\xe0\xa1\xb1", "looks like an old Excel workbook: save it as CSV"),
    ("pdf", b"%PDF-1.7\n", "looks like a PDF: save it as CSV"),
    ("gzip", b"\x1f\x8b\x08", "looks like a gzip archive: save it as CSV"),
    ("utf-16", "provider,accelerator".encode("utf-16"), "looks like UTF-16 text: save it as CSV (UTF-8)"),
    ("latin-1", "provider\nZürich".encode("latin-1"), "is not UTF-8 text (byte 11 is not)"),
    ("nul", b"provider,accelerator\nA\x00,B\n", "is not text"),
    ("no-header", b"Acme,h100-sxm,3.25\n", "has no header: want a first line that names the columns"),
    ("prose", b"Dear Sir or Madam,\nplease find our prices.\n", "has no header"),
    ("html", b"<html><body>404</body></html>", "has no header"),
    ("only-excel-hint", b"sep=;\n", "has no header"),
    ("header-only", HEADER.encode(), "has no rows"),
    ("unknown-column", b"provider,accelerator,usd_per_gpu_hour\nA,B,3\n",
     "there is no column 'usd_per_gpu_hour' (did you mean 'usd_per_accelerator_hour'?)"),
    ("unknown-strange-column", b"provider,zzz\nA,B\n", "there is no column 'zzz'. The columns are kind, provider,"),
    ("nameless-column", b"provider,,note\nA,B,C\n", "there is no column ''"),
    ("column-twice", b"provider,note,Provider\nA,B,C\n", "the column 'provider' stands twice"),
    ("too-many-rows", (HEADER + GOOD_ROW * (MAX_ROWS + 1)).encode(), f"more than {MAX_ROWS:,} rows"),
    ("too-many-bad-rows", (HEADER + "a,b,c,d\n" * (MAX_ROWS + 1)).encode(), f"more than {MAX_ROWS:,} rows"),
    ("yaml-broken", b"quotes:\n  - {provider: [}\n", "line 2: not YAML"),
    ("yaml-twice", b"quotes:\n- provider: A\n  provider: B\n",
     "line 3: quotes.0: the key 'provider' stands here twice"),
    ("yaml-anchor", b"quotes: [&a {provider: A}, *a]\n", "anchors"),
    ("yaml-nan", b"quotes:\n- usd_per_accelerator_hour: .nan\n", "line 2"),
    ("yaml-beside", b"quotes: []\nprices: []\n", "one list of rows under the key 'quotes' and nothing beside it"),
    ("yaml-no-list", b"quotes: {provider: A}\n", "one list of rows"),
    ("yaml-empty-list", b"quotes: []\n", "has no rows"),
    ("yaml-nothing", b"quotes:\n", "one list of rows"),
    ("yaml-too-many", b"quotes: [" + b"{}," * (MAX_ROWS + 1) + b"]\n", f"more than {MAX_ROWS:,} rows"),
]  # fmt: skip


@each_row(("raw", "wish"), [case[1:] for case in REFUSED])
def test_a_hopeless_file_is_refused_in_one_sentence(raw: bytes, wish: str) -> None:
    with pytest.raises(QuoteError) as refusal:
        read(raw)
    text = str(refusal.value)
    assert wish in text
    assert text.startswith("prices.csv")
    assert text.endswith(".")
    assert "\n" not in text


@pytest.mark.parametrize("text", ["prices: []", "just words", "[1, 2]", "- quotes: []"])
def test_a_yaml_file_by_name_must_hold_quotes(text: str) -> None:
    with pytest.raises(QuoteError, match="want one list of rows under the key 'quotes'"):
        read(text, "prices.yaml")


def test_as_many_rows_as_allowed_are_read() -> None:
    assert len(read(HEADER + GOOD_ROW * MAX_ROWS).offers) == MAX_ROWS


@pytest.mark.parametrize(
    ("name", "shown"),
    [("a\nb\x1b[31m.csv", "ab[31m.csv"), ("", "your file"), ("\u202e", "your file"), ("x" * 300, "x" * 100)],
)
def test_the_files_own_name_is_made_fit_to_show(name: str, shown: str) -> None:
    assert read(HEADER + GOOD_ROW, name).name == shown
    with pytest.raises(QuoteError) as refusal:
        read(b"", name)
    assert str(refusal.value).startswith(f"{shown} is empty")


# The file we hand out


def test_the_template_names_every_column_and_reads_without_a_word(real: Catalogue) -> None:
    assert TEMPLATE_CSV.splitlines()[0] == ",".join(COLUMNS)
    quotes = parse_quotes(TEMPLATE_CSV.encode(), name="template.csv", catalogue=real, day=DAY)
    assert (quotes.problems, quotes.questions) == ((), ())
    assert (len(quotes.offers), len(quotes.discounts), len(quotes.hardware)) == (2, 1, 1)
    assert [offer.price for offer in quotes.offers] == [2.45, None]


def test_the_template_comes_back_from_a_spreadsheet_in_any_dress(real: Catalogue) -> None:
    plain = parse_quotes(TEMPLATE_CSV.encode(), name="t.csv", catalogue=real, day=DAY)
    tabs = TEMPLATE_CSV.replace(",", "\t").replace("\n", "\r\n")
    german = "\ufeff" + TEMPLATE_CSV.replace(",", ";").replace("2.45", "2,45").replace("0.18", "0,18")
    for text in (tabs, german):
        assert parse_quotes(text.encode(), name="t.csv", catalogue=real, day=DAY) == plain


# Anything at all

PIECES = st.sampled_from([
    *COLUMNS, *",;\t\n'\"={}[]# -", "\r\n", "quotes:", "- ", ": ", "&a", "*a",
    "Acme", "North Cloud", "H100", "h100-sxm", "HGX-H100-8", "offer", "discount", "hardware", "USD",
    "3.25", "3,25", "1,234.50", "$3.99", "18%", "0.18", "8", "0", "-1", "1e999", "nan",
    "2026-01-01", "9999-12-31", "0001-01-01", "\ufeff", "\x00", "\x1b", "\u202e", "日本", "é",
])  # fmt: skip


@given(st.lists(PIECES, max_size=40).map("".join), st.sampled_from(["p.csv", "p.yaml", ""]))
@example("quotes:", "p.csv")
def test_any_text_is_read_or_refused(text: str, name: str) -> None:
    assert_read_or_refused(text.encode("utf-8", "surrogatepass"), name)


@given(st.binary(max_size=200), st.sampled_from(["p.csv", "p.yaml"]))
def test_any_bytes_are_read_or_refused(raw: bytes, name: str) -> None:
    assert_read_or_refused(raw, name)


CELLS = st.one_of(st.text(max_size=12), PIECES)


@given(st.lists(st.lists(CELLS, min_size=len(COLUMNS), max_size=len(COLUMNS)), min_size=1, max_size=4), st.dates())
def test_any_cells_under_a_good_header_are_read_or_listed(rows: list[list[str]], day: date) -> None:
    lines = [",".join('"' + cell.replace('"', '""') + '"' for cell in cells) for cells in (list(COLUMNS), *rows)]
    assert_read_or_refused("\n".join(lines).encode("utf-8", "surrogatepass"), "p.csv", day)


def assert_read_or_refused(raw: bytes, name: str, day: date = DAY) -> None:
    try:
        quotes = read(raw, name, day)
    except QuoteError as error:
        refusal = str(error)
    else:
        kept = quotes.offers + quotes.discounts + quotes.hardware
        assert len(kept) + len(quotes.problems) >= 1
        assert {quote.line for quote in kept}.isdisjoint({problem.line for problem in quotes.problems})
        assert all(quote.price is None or 0 < quote.price <= 1000 for quote in quotes.offers)
        assert all("\n" not in str(problem) for problem in quotes.problems + quotes.questions)
        return
    assert refusal
    assert "\n" not in refusal
