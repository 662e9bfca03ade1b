"""Second-hand lists, sellers whose list wants a key, hosted models and currencies, read from recorded replies."""

from datetime import date

import pytest

from pricing.feeds.feed import DEAREST_HOURS, ExchangeRateObservation, FeedError, HostedPriceObservation
from pricing.feeds.sources import feeds
from tests.pricing.feeds.replay import Replay, odd, prices, raw, read, said
from tests.rows import each_row


def test_gpuhunts_lists_carry_their_own_day_and_give_spot_of_aws() -> None:
    assert prices("gpuhunt") == {
        ("H100-SXM5-80GB", 8, "spot", "us-east-1", "p5.48xlarge"): 21.5,
        ("H100-SXM5-80GB", 8, "on_demand", "us-east-1", "p5.48xlarge"): 55.04,  # where AWS itself is not read
        ("B200-SXM-180GB", 8, "spot", "us-east5", "a4-highgpu-8g"): 51.5,  # two zones
        ("B200-SXM-180GB", 8, "capacity_block", "us-east5", "a4-highgpu-8g"): 72.8,
        ("A100-40GB", 8, "on_demand", "", "gpu_8x_a100"): 15.92,
        ("A6000", 1, "on_demand", "", "gpu_1x_a6000"): 1.09,
        ("H100 sxm", 8, "on_demand", "eu-north1", "gpu-h100-sxm 8gpu-128vcpu-1600gb"): 36.0,
    }
    told = said("gpuhunt")
    assert {one.day for one in told.values()} == {date(2026, 11, 19)}
    assert {one.seller for one in told.values()} == {"aws", "gcp", "lambdalabs", "nebius"}
    assert odd("gpuhunt") == ["azure", "cloudrift", "oci", "runpod", "verda"]  # not recorded: cannot be read


def test_a_zip_that_is_none_is_told() -> None:
    broken = {f"{name}.zip": b"PK\x03\x04 no zip" for name in ("aws", "gcp", "lambdalabs", "nebius")}
    with pytest.raises(FeedError, match="want a zip"):
        read(feeds()["gpuhunt"], broken)


def test_skypilots_mirror_stands_in_and_resold_machines_are_their_sellers() -> None:
    assert prices("skypilot") == {
        ("B200-SXM-180GB", 8, "on_demand", "", "gpu_8x_b200_sxm6"): 53.52,
        ("GH200-96GB", 1, "on_demand", "", "gpu_1x_gh200"): 2.29,
        ("L40S", 2, "on_demand", "desmoines-usa-1", "L40Sx2"): 1.72,
        ("A100-SXM4-40GB", 8, "on_demand", "calgary-canada-1", "A100-sxm4x8"): 11.2,
    }
    assert {one.seller for one in said("skypilot").values()} == {"denvr", "lambda", "massedcompute"}
    asked = Replay("skypilot")
    list(feeds()["skypilot"].read(asked))
    hosts = [url.split("/")[2] for url in asked.asked]
    assert hosts[:2] == ["raw.githubusercontent.com", "skypilot-catalog.s3.us-east-1.amazonaws.com"]


def test_gpurentalprices_without_its_wrong_rows() -> None:
    assert prices("gpurentalprices") == {
        ("b200", 8, "on_demand", "", ""): 8.6,
        ("A100-SXM4-80GB", 1, "on_demand", "", ""): 2.79,
        ("A100-PCIe-80GB", 1, "on_demand", "", "Secure Cloud"): 1.59,
        ("h100-sxm", 1, "on_demand", "", "serverless"): 3.95,
    }
    told = said("gpurentalprices")
    assert {one.per for one in told.values()} == {"accelerator"}
    assert told["A100-SXM4-80GB", 1, "on_demand", "", ""].day == date(2026, 11, 18)  # looked at that day
    assert told["h100-sxm", 1, "on_demand", "", "serverless"].doubts == ("per_second_service",)
    assert odd("gpurentalprices") == ["nebius, h200"]


def test_toolshedlabs_in_the_sellers_currency_and_without_parts() -> None:
    assert prices("toolshedlabs") == {
        ("A100 SXM 40GB", 8, "on_demand", "", ""): 15.92, ("A10", 1, "on_demand", "", ""): 1.29,
        ("L4", 1, "on_demand", "fr-par-2", ""): 0.7875, ("RTX 4090", 1, "on_demand", "Japan, JP", ""): 0.31,
    }  # fmt: skip
    told = said("toolshedlabs")
    assert told["L4", 1, "on_demand", "fr-par-2", ""].currency == "EUR"
    assert told["RTX 4090", 1, "on_demand", "Japan, JP", ""].free == 2
    assert {one.day for one in told.values()} == {date(2026, 11, 20)}
    assert odd("toolshedlabs") == ["digitalocean, H100"]


def test_genai_prices_takes_what_holds_today_at_any_hour() -> None:
    assert read(feeds()["genai-prices"]) == [
        HostedPriceObservation("Anthropic", "claude-opus-4-6", 5.5, 26, 0.5, day=date(2026, 11, 10)),
        HostedPriceObservation("Anthropic", "claude-sonnet-4-5", 3, 15, 0.3),
        HostedPriceObservation("Anthropic", "claude-sonnet-4-5", 6, 15, 0.3, "over 200k"),
        HostedPriceObservation("DeepSeek", "deepseek-chat", 0.14, 0.21),  # for 16 hours of a day
        HostedPriceObservation("DeepSeek", "deepseek-chat", 0.28, 0.42, None, "peak hours"),
    ]


def test_litellm_counts_by_the_token_and_a_model_keeps_its_whole_name() -> None:
    assert read(feeds()["litellm"]) == [
        HostedPriceObservation("openai", "gpt-4o", 2.5, 10.0, 1.25, DEAREST_HOURS),
        HostedPriceObservation("perplexity", "sonar", 1.0, 1.0, None, DEAREST_HOURS),
        HostedPriceObservation("perplexity", "perplexity/sonar", 0.25, 2.5, None, DEAREST_HOURS),
        HostedPriceObservation("openai", "text-embedding-3-small", 0.02, 0.0, None, DEAREST_HOURS),
    ]


def test_currencies_are_reckoned_from_euros_into_dollars() -> None:
    found = [one for one in read(feeds()["ecb"]) if isinstance(one, ExchangeRateObservation)]
    assert {one.code: pytest.approx(one.usd) for one in found} == {
        "EUR": 1.16,
        "JPY": 0.0064,  # 1.16 / 181.25
        "GBP": 1.3333333,
    }
    assert {one.day for one in found} == {date(2026, 11, 20)}


@pytest.mark.parametrize(("sent", "says"), [
    (b'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "c">]><a/>', "declares a type of document"),
    (b"<Cube><Cube currency='USD' rate='1.1'", "no XML"),
    (b"<Cube><Cube currency='JPY' rate='181'/></Cube>", "in USD, got 1 other"),
])  # fmt: skip
def test_an_unsafe_or_changed_file_of_currencies_is_refused(sent: bytes, says: str) -> None:
    with pytest.raises(FeedError, match=says):
        read(feeds()["ecb"], {"daily.xml": sent})


def test_lambda_counts_in_cents_and_says_where_there_is_room() -> None:
    assert prices("lambda") == {
        ("H100 SXM5", 8, "on_demand", "", "gpu_8x_h100_sxm5"): 31.92,
        ("A10-24GB", 1, "on_demand", "", "gpu_1x_a10"): 1.29,
        ("V100-16GB", 8, "on_demand", "", "gpu_8x_v100"): 6.32,
    }
    assert [one.free for one in said("lambda").values()] == [2, 0, 0]
    assert odd("lambda") == ["gpu_new"]


def test_digitaloceans_memory_is_that_of_all() -> None:
    assert prices("digitalocean") == {
        ("H100-80GB", 8, "on_demand", "", "gpu-h100x8-640gb"): 35.28,
        ("mi300x", 1, "on_demand", "", "gpu-mi300x1-192gb"): 1.99,
        ("rtx4000 ada", 1, "on_demand", "", "gpu-4000adax1-20gb"): 0.76,
    }
    assert [one.free for one in said("digitalocean").values()] == [2, 0, 2]


def test_hyperstacks_price_book_is_by_accelerator() -> None:
    told = said("hyperstack")
    assert prices("hyperstack") == {
        ("H100-PCIe-80GB", 8, "on_demand", "CANADA-1", "n3-H100x8"): 2.5,
        ("H100-PCIe-80GB", 1, "on_demand", "CANADA-1", "n3-H100x1"): 2.5,
        ("H100-PCIe-80GB", 1, "spot", "CANADA-1", "n3-H100x1-spot"): 2.0,
    }
    assert {one.per for one in told.values()} == {"accelerator"}
    assert [one.free for one in told.values()] == [1, 0, 1]
    assert odd("hyperstack") == ["n4-R200x8"]


def test_shadeforms_machines_are_their_sellers() -> None:
    told = said("shadeform")
    assert {(key, one.seller, one.price, one.free) for key, one in told.items()} == {
        (("L40S", 2, "on_demand", "desmoines-usa-1", "L40Sx2"), "massedcompute", 1.72, 1),
        (("L40S", 2, "on_demand", "kansas-usa-1", "L40Sx2"), "massedcompute", 1.72, 0),
        (("A100-80GB", 1, "on_demand", "osl-1", "A100_80G"), "excesssupply", 1.35, 1),
        (("H100 sxm5", 8, "on_demand", "us-east1", "H100_sxm5x8"), "crusoe", 31.2, 1),
    }


def test_prime_intellects_rows_are_other_sellers() -> None:
    assert {(key, one.seller, one.price) for key, one in said("prime-intellect").items()} == {
        (("A100-PCIe-80GB", 1, "on_demand", "", "Secure Cloud"), "runpod", 1.7),
        (("A100-SXM4-80GB", 1, "on_demand", "", "Secure Cloud"), "runpod", 1.9),
        (("A100-SXM4-80GB", 8, "spot", "", ""), "datacrunch", 9.6),
    }


def test_hot_aisles_lists_are_by_team() -> None:
    assert prices("hot-aisle") == {
        ("MI300X", 1, "on_demand", "", "VM"): 1.99,
        ("MI300X", 2, "on_demand", "", "VM"): 3.98,
    }
    assert said("hot-aisle")["MI300X", 1, "on_demand", "", "VM"].free == 2
    with pytest.raises(FeedError, match="TEAM:TOKEN"):
        list(feeds()["hot-aisle"].read(Replay("hot-aisle", secret="a-token")))
    assert read(feeds()["hot-aisle"], {"vms.json": b"[]"}) == []  # nothing free is an answer


@each_row(("name", "file", "before", "after", "says"), [
    ("gpuhunt", "version.txt", b"2026", b"v", "want a version such as"),
    ("skypilot", "lambda.csv", b"SpotPrice", b"Spot", "no column SpotPrice"),
    ("gpurentalprices", "latest.json", b'"usd_hr"', b'"price"', "no usd_hr any more"),
    ("toolshedlabs", "prices.json", b'"gpu_family"', b'"family"', "no gpu_family any more"),
    ("genai-prices", "data.json", b'"prices"', b'"rates"', "no prices any more"),
    ("litellm", "prices.json", b'"litellm_provider"', b'"vendor"', "no litellm_provider any more"),
    ("litellm", "prices.json", b'"mode"', b'"kind"', "LiteLLM's reply has no readable price any more"),
    ("lambda", "types.json", b'"price_cents_per_hour"', b'"cents"', "no price_cents_per_hour any more"),
    ("digitalocean", "1.json", b'"sizes"', b'"droplets"', "no sizes any more"),
    ("hyperstack", "pricebook.json", b'"value"', b'"price"', "want a price book"),
    ("shadeform", "types.json", b'"hourly_price"', b'"price"', "no hourly_price any more"),
    ("hot-aisle", "vms.json", b'"OnDemandPrice"', b'"Price"', "no OnDemandPrice any more"),
])  # fmt: skip
def test_a_changed_shape_is_told(name: str, file: str, before: bytes, after: bytes, says: str) -> None:
    with pytest.raises(FeedError, match=says):
        read(feeds()[name], {file: raw(name, file).replace(before, after)})
