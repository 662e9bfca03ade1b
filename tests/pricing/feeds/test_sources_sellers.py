"""Smaller clouds and marketplaces, read from recorded replies; what is expected was reckoned by hand from those."""

import pytest

from pricing.feeds.feed import FeedError
from pricing.feeds.sources import feeds
from tests.pricing.feeds.replay import Replay, odd, prices, raw, read, said


def test_of_vasts_listings_the_lowest_counts_and_how_many_there_are() -> None:
    assert prices("vast") == {
        ("H100 SXM", 1, "on_demand", "US", ""): 2.18, ("H100 SXM", 1, "spot", "US", ""): 1.2,
        ("H100 SXM", 1, "on_demand", "FR", ""): 2.9, ("RTX-4090-48GB-modded", 1, "on_demand", "HK", ""): 0.55,
        ("H100 SXM", 8, "on_demand", "US", ""): 17.6, ("H100 SXM", 8, "spot", "US", ""): 9.6,
        ("Rubin R300", 8, "on_demand", "US", ""): 40.0,
    }  # fmt: skip
    one = said("vast")["H100 SXM", 1, "on_demand", "US", ""]
    assert (one.free, one.per, one.vcpus, one.memory_gb) == (2, "instance", None, 80.0)
    assert said("vast")["H100 SXM", 1, "spot", "US", ""].doubts == ("minimum_bid",)
    assert odd("vast") == ["5"]  # nobody says where it is


def test_runpods_placeholders_slices_and_terms_that_save_nothing() -> None:
    where = "global"
    assert prices("runpod") == {
        ("H100 SXM", 1, "on_demand", where, "Secure Cloud"): 3.49,
        ("H100 SXM", 1, "on_demand", where, "Community Cloud"): 2.69,
        ("H100 SXM", 1, "reserved_3m", where, "Secure Cloud"): 3.49,
        ("H100 SXM", 1, "reserved_6m", where, "Secure Cloud"): 2.79,
        ("H100 SXM", 1, "spot", where, "Secure Cloud"): 1.75,
        ("H100 SXM", 8, "on_demand", where, "Instant Cluster"): 3.79,
        ("H200 NVL", 1, "on_demand", where, "Secure Cloud"): 3.79,  # its community price of 0.50 has no stock
        ("A100-SXM4-80GB", 1, "on_demand", where, "Secure Cloud"): 1.79,
        ("A100-SXM4-80GB", 1, "on_demand", where, "Community Cloud"): 1.39,
        ("R200", 1, "on_demand", where, "Secure Cloud"): 12.0,
    }
    told = said("runpod")
    assert {one.per for one in told.values()} == {"accelerator"}
    assert told["H200 NVL", 1, "on_demand", where, "Secure Cloud"].free == 0
    assert told["H100 SXM", 1, "on_demand", where, "Secure Cloud"].free == 1
    assert told["H100 SXM", 1, "reserved_3m", where, "Secure Cloud"].doubts == ("odd",)
    assert told["H100 SXM", 1, "reserved_6m", where, "Secure Cloud"].doubts == ()
    assert told["H100 SXM", 1, "spot", where, "Secure Cloud"].doubts == ("minimum_bid",)
    assert told["H100 SXM", 8, "on_demand", where, "Instant Cluster"].fabric == "not_stated"


def test_runpods_refusal_is_told() -> None:
    refusal = b'{"errors": [{"message": "Cannot query field"}]}'
    with pytest.raises(FeedError, match=r"refuses the question.*Cannot query field"):
        read(feeds()["runpod"], {"types.json": refusal})


def test_vultrs_three_lists_are_read_to_the_end_and_parts_of_accelerators_left_out() -> None:
    where = ""
    assert prices("vultr") == {
        ("L40S-48GB", 1, "on_demand", where, "vcg-l40s-16c-180g-48vram"): 1.671,
        ("L40S-48GB", 8, "on_demand", where, "vcg-l40s-128c-1440g-384vram"): 13.37,
        ("H100-SXM5-80GB", 8, "on_demand", where, "vcg-h100-216c-1914gb-640vram"): 23.92,
        ("MI300X-192GB", 8, "on_demand", where, "vbm-256c-2048gb-8-mi300x-gpu"): 14.8,
        ("MI300X-192GB", 8, "spot", where, "vbm-256c-2048gb-8-mi300x-gpu"): 7.4,
    }
    free = {key[4]: one.free for key, one in said("vultr").items()}
    assert free["vcg-l40s-16c-180g-48vram"] == 2
    assert free["vcg-l40s-128c-1440g-384vram"] == 0
    assert free["vcg-h100-216c-1914gb-640vram"] is None  # its places are not to be trusted
    assert odd("vultr") == ["vcg-r200-1c", "vbm-512c-4096gb-8-r200-gpu"]


def test_verdas_prices_are_texts_and_its_memory_is_that_of_all() -> None:
    where = ""
    assert prices("verda") == {
        ("H100 SXM5 80GB", 1, "on_demand", where, "1H100.80S.30V"): 3.627,
        ("H100 SXM5 80GB", 1, "spot", where, "1H100.80S.30V"): 1.269,
        ("B300-SXM-288GB", 8, "on_demand", where, "8B300.240V"): 71.12,
        ("B300-SXM-288GB", 8, "spot", where, "8B300.240V"): 24.9,
        ("A100 SXM4 40GB", 1, "on_demand", where, "1A100.22V"): 1.29,
    }
    told = said("verda")
    assert told["B300-SXM-288GB", 8, "on_demand", where, "8B300.240V"].memory_gb == 262
    assert told["H100 SXM5 80GB", 1, "on_demand", where, "1H100.80S.30V"].free == 2
    assert told["A100 SXM4 40GB", 1, "on_demand", where, "1A100.22V"].free == 0
    assert told["H100 SXM5 80GB", 1, "spot", where, "1H100.80S.30V"].free is None  # nothing is told of spot


def test_scaleway_asks_euros_and_its_memory_is_that_of_one() -> None:
    assert prices("scaleway") == {
        ("H100-SXM", 2, "on_demand", "fr-par-2", "H100-SXM-2-80G"): 6.018,
        ("L4", 8, "on_demand", "fr-par-2", "L4-8-24G"): 6.3,
        ("P100", 1, "on_demand", "fr-par-2", "RENDER-S"): 1.22,
    }
    told = said("scaleway")
    assert {(one.currency, one.countries) for one in told.values()} == {("EUR", ("FR",))}
    assert told["L4", 8, "on_demand", "fr-par-2", "L4-8-24G"].memory_gb == 24
    assert [one.free for one in told.values()] == [0, 1, None]
    assert odd("scaleway") == ["nl-ams-2", "pl-waw-3"]  # not recorded: cannot be read


def test_scaleway_with_no_zone_at_all_is_out_of_order() -> None:
    gone = {"par-2.json": b"{}", "none.json": b"{}"}
    with pytest.raises(FeedError):
        read(feeds()["scaleway"], gone)


def test_linode_says_the_accelerator_in_its_label_only() -> None:
    assert prices("linode") == {
        ("Quadro-RTX-6000-24GB", 2, "on_demand", "", "g1-gpu-rtx6000-2"): 3.0,
        ("RTX-4000-Ada-20GB", 2, "on_demand", "", "g2-gpu-rtx4000a2-s"): 1.05,
        ("RTX-4000-Ada-20GB", 2, "on_demand", "id-cgk", "g2-gpu-rtx4000a2-s"): 1.26,
    }
    assert odd("linode") == ["Mystery"]


def test_liums_market_is_summed_up_by_machine_and_country() -> None:
    assert prices("lium") == {
        ("H200", 1, "on_demand", "US", "secure"): 3.59, ("H200", 8, "on_demand", "US", "secure"): 3.59,
        ("RTX 5090", 1, "spot", "US", "spot"): 0.5, ("A100-SXM4-80GB", 8, "on_demand", "FI", "secure"): 1.23,
    }  # fmt: skip
    told = said("lium")
    assert {one.per for one in told.values()} == {"accelerator"}
    assert told["H200", 1, "on_demand", "US", "secure"].free == 13  # 5 and 8
    assert told["H200", 8, "on_demand", "US", "secure"].free == 1  # only one has all eight


def test_thunders_trial_machines_are_shared_and_disks_are_no_machines() -> None:
    assert prices("thunder") == {
        ("A100-80GB", 1, "on_demand", "", "production"): 1.79, ("H100 PCIe", 1, "on_demand", "", "production"): 3.2,
        ("h100", 8, "on_demand", "", "production"): 25.6, ("RTX A6000", 1, "on_demand", "", "prototyping"): 0.35,
    }  # fmt: skip
    told = said("thunder")
    assert told["RTX A6000", 1, "on_demand", "", "prototyping"].doubts == ("may_be_shared",)
    assert (
        told["H100 PCIe", 1, "on_demand", "", "production"].vcpus,
        told["H100 PCIe", 1, "on_demand", "", "production"].ram_gb,
    ) == (4, 32)


def test_hyperbolic_cloudrift_and_daytona() -> None:
    assert prices("hyperbolic") == {
        ("H100-SXM", 1, "on_demand", "us-central-1", "1x-H100-SXM-24-240"): 1.99,
        ("RTX-4090", 8, "on_demand", "us-central-1", "8x-RTX-4090-96-512"): 2.8,
        ("RTX-4090", 8, "spot", "us-central-1", "8x-RTX-4090-96-512"): 1.6,
    }
    assert {key[3]: (one.price, one.free) for key, one in said("cloudrift").items()} == {
        "us-east-nc-nr-1": (0.65, 12),  # 65 cents
        "us-west-1": (0.65, 0),
    }
    assert prices("daytona") == {
        ("H100", 1, "on_demand", "", "H100"): 3.95, ("H100", 1, "spot", "", "H100"): 2.27,
        ("B200", 1, "on_demand", "", "B200"): 6.25, ("RTX-PRO-6000", 1, "on_demand", "", "RTX-PRO-6000"): 3.03,
    }  # fmt: skip
    doubts = {key[0]: one.doubts for key, one in said("daytona").items()}
    assert doubts["B200"] == ("component_only", "listed_not_sold")
    assert doubts["H100"] == ("component_only",)


def test_verda_is_asked_at_its_other_address_where_one_does_not_answer() -> None:
    asked = Replay("verda")
    with pytest.raises(FeedError, match="nothing recorded"):
        list(feeds()["verda"].read(_Deaf("verda", asked=asked.asked)))
    assert [url.split("/")[2] for url in asked.asked][-2:] == ["api.datacrunch.io", "api.verda.com"]


class _Deaf(Replay):
    """Answers nothing."""

    def get(self, url: str, **how: object) -> object:  # type: ignore[override]
        self.asked.append(url)
        raise FeedError(f"nothing recorded for {url}")


@pytest.mark.parametrize(("name", "file", "before", "after", "says"), [
    ("vast", "1.json", b'"offers"', b'"results"', "Vast's reply .* no offers any more, but results"),
    ("runpod", "types.json", b'"gpuTypes"', b'"gpus"', "RunPod's reply .* no data.gpuTypes any more"),
    ("vultr", "vdm.json", b'"plans"', b'"sizes"', "Vultr's reply .* no plans any more"),
    ("verda", "types.json", b'"price_per_hour"', b'"hourly"', "Verda's reply .* no price_per_hour any more"),
    ("scaleway", "par-2.json", b'"hourly_price"', b'"price"', "Scaleway's reply .* no hourly_price any more"),
    ("lium", "nodes.json", b'"price_per_gpu_hour"', b'"price"', "Lium's reply .* no price_per_gpu_hour any more"),
    ("thunder", "pricing.json", b"_x", b"-", "want names such as h100_x1_production, got a100xl-1_production"),
    ("hyperbolic", "catalog.json", b'"vms"', b'"nodes"', "Hyperbolic's reply .* no vms any more"),
    ("cloudrift", "types.json", b'"cost_per_hour"', b'"cost"', "CloudRift's reply .* no cost_per_hour any more"),
    ("daytona", "prices.json", b'"type"', b'"gpu"', "Daytona's reply .* no type any more"),
])  # fmt: skip
def test_a_changed_shape_is_told(name: str, file: str, before: bytes, after: bytes, says: str) -> None:
    with pytest.raises(FeedError, match=says):
        read(feeds()[name], {file: raw(name, file).replace(before, after)})


def test_a_field_that_vast_renamed_is_named() -> None:
    changed = {name: raw("vast", name).replace(b'"dph_total"', b'"dph"') for name in ("1.json", "8.json")}
    with pytest.raises(FeedError, match=r"Vast's reply .* no dph_total any more, in none of 8 rows"):
        read(feeds()["vast"], changed)
