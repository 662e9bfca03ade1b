"""Names are matched loosely in spelling and strictly in meaning."""

from collections import defaultdict
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pricing import load_catalogue, names
from pricing.catalogue import Catalogue
from pricing.electricity import electricity
from pricing.errors import AmbiguousNameError, UnknownNameError
from pricing.load import build
from tests.frozen import live_catalogue
from tests.rows import each_row
from tests.small_catalogue import small_catalogue, small_contents

SMALL = small_catalogue()

MODELS = """\
about: Models whose names differ by a point or a number.
sources:
  cards: {title: Model cards, url: "https://example.org/cards", retrieved: 2026-01-01, via: document, licence: MIT}
models:
  OPT-13B: {label: OPT 13B, family: OPT, modality: text, params_b: 13, source: cards, confidence: high}
  OPT-1.3B: {label: OPT 1.3B, family: OPT, modality: text, params_b: 1.3, source: cards, confidence: high}
  Llama-3-8B: {label: Llama 3 8B, family: Llama, modality: text, params_b: 8, source: cards, confidence: high}
  Llama-3.1-8B: {label: Llama 3.1 8B, family: Llama, modality: text, params_b: 8, source: cards, confidence: high}
  Seven:
    {label: Seven B+, family: X, modality: text, aliases: [Mixtral 8x7B], params_b: 7, source: cards, confidence: low}
sites:
  US: {label: United States, kind: country, aliases: [USA, United States of America]}
  US-TX: {label: Texas, kind: us_state, parent: US}
"""


@pytest.fixture(scope="module")
def wider() -> Catalogue:
    return build(small_contents() | {"models.yaml": MODELS.encode()}, digest="wider")


SAME = [
    ("H100-SXM5-80GB", "h100 sxm5 80gb"), ("H100-SXM5-80GB", "NVIDIA H100_SXM5.80GB"),
    ("NVIDIA GeForce RTX 4090", "rtx4090"), ("AMD Instinct MI300X", "mi300x"), ("Tesla V100", "V100"),
    ("Llama 3 8B", "llama-3-8b"), ("C+ Cloud", "c plus cloud"), ("  spaced   out ", "spacedout"),
    ("OPT-1.3B", "opt 1.3b"), ("Qwen2.5-0.5B", "qwen 2.5 0.5B"),
]  # fmt: skip
DIFFERENT = [
    ("OPT-1.3B", "OPT-13B"), ("OPT-1,3B", "OPT-13B"), ("Phi 2.7B", "Phi 27B"), ("H100 SXM", "H100 PCIe"),
    ("A100-40GB", "A100-80GB"), ("TPU v5e", "TPU v5p"),
]  # fmt: skip


@each_row(("one", "other"), SAME)
def test_spelling_does_not_matter(one: str, other: str) -> None:
    assert names.plain(one) == names.plain(other)


@each_row(("one", "other"), DIFFERENT)
def test_meaning_does(one: str, other: str) -> None:
    assert names.plain(one) != names.plain(other)


@pytest.mark.parametrize("maker", ["NVIDIA", "AMD", "Intel", "Tesla"])
def test_a_makers_name_alone_is_still_a_name(maker: str) -> None:
    assert names.plain(maker) == maker.casefold()


FOUND: list[tuple[Callable[[Catalogue, str], str], str, str]] = [
    (names.accelerator, "H100-SXM5-80GB", "H100-SXM5-80GB"), (names.accelerator, "nvidia h100 sxm5", "H100-SXM5-80GB"),
    (names.accelerator, "h100-sxm", "H100-SXM5-80GB"), (names.accelerator, "RTX 4090", "RTX-4090-24GB"),
    (names.accelerator, "geforce rtx-4090 24 gb", "RTX-4090-24GB"), (names.accelerator, "tpu v6e", "TPU-v6e"),
    (names.provider, "NORTH CLOUD", "northcloud"), (names.provider, "north-cloud inc", "northcloud"),
    (names.server, "hgx h100 8", "HGX-H100-8"), (names.server, "HGX H100 with 8 GPUs", "HGX-H100-8"),
    (names.site, "texas", "US-TX"), (names.site, "united states of america", "US"),
    (names.model, "llama-3-8b", "Llama-3-8B"), (names.model, "Llama 3.1 8b", "Llama-3.1-8B"),
    (names.model, "opt 1.3b", "OPT-1.3B"), (names.model, "opt-13b", "OPT-13B"), (names.model, "mixtral-8x7b", "Seven"),
    (names.model, "seven b plus", "Seven"),
]  # fmt: skip


@each_row(("find", "name", "key"), FOUND)
def test_a_name_leads_to_its_record(
    wider: Catalogue, find: Callable[[Catalogue, str], str], name: str, key: str
) -> None:
    assert find(wider, name) == key


MISSPELT: list[tuple[Callable[[Catalogue, str], str], str, str, str]] = [
    (names.accelerator, "H100 SMX5 80GB", "H100-SXM5-80GB", "No accelerator is called 'H100 SMX5 80GB'. Did you mean "),
    (names.accelerator, "4090", "RTX-4090-24GB", "No accelerator is called '4090'. Did you mean RTX-4090-24GB?"),
    (names.provider, "Nort Cloud", "northcloud", "No provider is called 'Nort Cloud'. Did you mean "),
    (names.server, "hgx-h100", "HGX-H100-8", "No server is called 'hgx-h100'. Did you mean HGX-H100-8"),
    (names.site, "Texass", "US-TX", "No site is called 'Texass'. Did you mean US-TX?"),
    (names.model, "lama 3 8b", "Llama-3-8B", "No model is called 'lama 3 8b'. Did you mean "),
]


@each_row(("find", "name", "meant", "text"), MISSPELT)
def test_a_misspelt_name_is_not_guessed_but_hinted_at(
    wider: Catalogue, find: Callable[[Catalogue, str], str], name: str, meant: str, text: str
) -> None:
    with pytest.raises(UnknownNameError) as unknown:
        find(wider, name)
    assert meant in unknown.value.candidates
    assert str(unknown.value).startswith(text)
    assert 1 <= len(unknown.value.candidates) <= 4
    assert len(set(unknown.value.candidates)) == len(unknown.value.candidates)


@each_row("name", ["", " ", "---", "日本", "zzzzqqqq", "!" * 500])
def test_a_name_like_no_other_gets_no_hint(small: Catalogue, name: str) -> None:
    for find in (names.accelerator, names.provider, names.server):
        with pytest.raises(UnknownNameError) as unknown:
            find(small, name)
        assert unknown.value.candidates == ()
        assert str(unknown.value).endswith(f"is called {name!r}.")


def test_a_label_in_other_letters_is_not_what_an_empty_name_means() -> None:
    files = small_contents()
    files["rentals/offers.yaml"] = files["rentals/offers.yaml"].replace(b"North Cloud,", "北雲,".encode())
    catalogue = build(files, digest="d")
    assert catalogue.providers["northcloud"].label == "北雲"
    with pytest.raises(UnknownNameError):
        names.provider(catalogue, "")


@each_row("name", ["H100", "h100", "NVIDIA H100", "H100-80GB", "h100 80 gb", "H100, kind not stated"])
def test_an_ambiguous_name_is_refused_with_what_it_can_mean(small: Catalogue, name: str) -> None:
    with pytest.raises(AmbiguousNameError) as several:
        names.accelerator(small, name)
    assert several.value.candidates == ("H100-SXM5-80GB", "H100-PCIe-80GB")
    said = "can be H100-SXM5-80GB or H100-PCIe-80GB. They differ by a third in compute. Say which."
    assert str(several.value) == f"{name!r} {said}"


def test_a_filter_by_an_ambiguous_name_shows_all_it_can_mean(small: Catalogue) -> None:
    assert names.offered_accelerators(small, "h100") == ("H100-SXM5-80GB", "H100-PCIe-80GB", "H100")
    assert names.offered_accelerators(small, "h100 pcie") == ("H100-PCIe-80GB",)
    with pytest.raises(UnknownNameError):
        names.offered_accelerators(small, "H1000000")


def test_an_id_wins_over_another_records_alias() -> None:
    files = small_contents()
    chips = files["accelerators/chips.yaml"].replace(b"aliases: [H100-PCIe]", b"aliases: [TPU-v6e, H100-PCIe]")
    catalogue = build(files | {"accelerators/chips.yaml": chips}, digest="d")
    assert names.accelerator(catalogue, "tpu-v6e") == "TPU-v6e"


@given(st.text(max_size=60))
def test_any_text_leads_to_a_record_or_to_an_error_that_quotes_it(text: str) -> None:
    try:
        found = names.accelerator(SMALL, text)
    except (UnknownNameError, AmbiguousNameError) as error:
        said, candidates = str(error), error.candidates
    else:
        assert found in SMALL.accelerators
        return
    assert repr(text) in said
    assert set(candidates) <= SMALL.accelerators.keys()


@given(st.sampled_from(sorted(SMALL.accelerators)), st.sampled_from("-_ ./"), st.booleans())
def test_separators_and_case_never_change_which_record_is_meant(key: str, separator: str, shout: bool) -> None:
    typed = separator.join(key.split("-"))
    assert names.accelerator(SMALL, typed.upper() if shout else typed.lower()) == key


# The catalogue that ships


def test_every_record_is_found_by_each_of_its_names(real: Catalogue) -> None:
    for key, chip in real.accelerators.items():
        assert {names.accelerator(real, name) for name in (key, chip.label, *chip.aliases)} == {key}
    for key, provider in real.providers.items():
        assert {names.provider(real, name) for name in (key, provider.label, *provider.aliases)} == {key}
    for key, server in real.servers.items():
        assert {names.server(real, name) for name in (key, server.label)} == {key}
    assert [names.model(real, key) for key in real.models] == list(real.models)
    assert [names.site(real, key) for key in real.sites] == list(real.sites)


def test_every_ambiguous_name_is_refused_by_each_of_its_names(real: Catalogue) -> None:
    assert {"H100", "A100", "V100"} <= real.ambiguous.keys()
    for key, record in real.ambiguous.items():
        for name in (key, record.label, *record.aliases):
            with pytest.raises(AmbiguousNameError) as several:
                names.accelerator(real, name)
            assert several.value.candidates == record.candidates


TWO_READINGS = {  # asked about, and never guessed
    "sites": {
        "georgia": {"GE", "US-GA"}, "cambridge": {"GB", "US-MA"}, "kansascity": {"US-KS", "US-MO"},
        "congo": {"CD", "CG"},
    }
}  # fmt: skip


@pytest.mark.parametrize("section", ["accelerators", "providers", "servers", "sites", "models"])
def test_no_spelling_belongs_to_two_records(real: Catalogue, section: str) -> None:
    owners: dict[str, set[str]] = defaultdict(set)
    ambiguous = real.ambiguous if section == "accelerators" else {}
    for key, record in {**getattr(real, section), **ambiguous}.items():
        for spelling in (key, record.label, *getattr(record, "aliases", ())):
            owners[names.plain(spelling)].add(key)
    assert "" not in owners
    assert {spelling: keys for spelling, keys in owners.items() if len(keys) > 1} == TWO_READINGS.get(section, {})


TWO_GEORGIAS = "'Georgia' can be GE (Georgia, the country) or US-GA (Georgia, United States). Say which."


@pytest.mark.parametrize(("name", "readings"), [
    ("Georgia", TWO_GEORGIAS), ("Tbilisi, Georgia", TWO_GEORGIAS),
    ("San Jose, CA", "'CA' can be CA (Canada, the country) or US-CA (California, United States). Say which."),
])  # fmt: skip
def test_a_place_with_two_readings_is_asked_about(real: Catalogue, name: str, readings: str) -> None:
    with pytest.raises(AmbiguousNameError) as several:
        names.site(real, name)
    assert str(several.value) == readings


@pytest.mark.parametrize("name", ["Germny", "Bavaria, Germny"])
def test_a_misspelt_place_is_hinted_at(real: Catalogue, name: str) -> None:
    with pytest.raises(UnknownNameError, match="Did you mean DE"):
        names.site(real, name)


@each_row("name", ["Wakanda", "Oz", "QQ", "Xanadu", "Zubrowka", "zz-9"])
def test_a_place_that_nobody_knows_has_no_false_hint_and_says_what_to_write(real: Catalogue, name: str) -> None:
    with pytest.raises(UnknownNameError) as refused:
        names.site(real, name)
    assert refused.value.candidates == ()
    assert "Did you mean" not in str(refused.value)
    assert "or World, whose average price of electricity stands in" in str(refused.value)


@pytest.mark.parametrize(
    ("name", "code"),
    [("Swizerland", "CH"), ("Frnce", "FR"), ("Texass", "US-TX"), ("Norwya", "NO"), ("Quebek", "CA-QC")],
)
def test_the_closest_place_is_the_first_hint(real: Catalogue, name: str, code: str) -> None:
    with pytest.raises(UnknownNameError) as refused:
        names.site(real, name)
    assert refused.value.candidates[0] == code


def test_behind_a_city_the_code_of_a_state_wins_over_a_country_without_figures() -> None:
    found = [names.site(live_catalogue(), said) for said in ("Phoenix, AZ", "Pittsburgh, PA", "New Orleans, LA", "AZ")]
    assert found == ["US-AZ", "US-PA", "US-LA", "AZ"]


def test_every_country_of_the_list_is_a_place_and_has_a_price_of_electricity() -> None:
    catalogue = live_catalogue()
    for code, land in catalogue.lands.items():
        assert land.label == "Georgia" or names.site(catalogue, land.label) == code
        price = electricity(catalogue, code, "large")
        assert price.stands_in is None or land.label in price.stands_in


@pytest.mark.parametrize(
    ("said", "wanted"), [("us-east-1", "US"), ("US-East-1", "US"), ("westeurope", "NL"), ("europe-west1", "BE")]
)
def test_a_region_of_a_cloud_is_the_country_it_lies_in(said: str, wanted: str) -> None:
    assert names.site(load_catalogue(), said) == wanted


@pytest.mark.parametrize("said", ["mars-north-1", "all regions", "India/EU"])
def test_what_is_no_place_of_any_cloud_stays_unknown(said: str) -> None:
    with pytest.raises(UnknownNameError):
        names.site(load_catalogue(), said)
