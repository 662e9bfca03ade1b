"""Smaller clouds and marketplaces, read from recorded replies; what is expected was calculated by hand from those."""

import json
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from pricing import load_catalogue
from pricing.feeds.client import Client, ClientLimits
from pricing.feeds.feed import AnyObservation, FeedError, Observation, UnreadableRow
from pricing.feeds.refresh import Ways, refresh
from pricing.feeds.sources import feeds
from tests.pricing.feeds.replay import Replay, odd, prices, raw, read, said
from tests.pricing.feeds.server import Answer
from tests.pricing.feeds.world import the_world
from tests.rows import each_row


def test_of_vasts_listings_the_lowest_counts_and_how_many_there_are() -> None:
    h100 = "H100-SXM5-80GB"
    assert prices("vast") == {
        (h100, 1, "on_demand", "US", ""): 2.18, (h100, 1, "spot", "US", ""): 1.2,
        (h100, 1, "on_demand", "FR", ""): 2.9, ("RTX-4090-48GB-modded", 1, "on_demand", "HK", ""): 0.55,
        (h100, 8, "on_demand", "US", ""): 17.6, (h100, 8, "spot", "US", ""): 9.6,
        ("Rubin R300", 8, "on_demand", "US", ""): 40.0,
    }  # fmt: skip
    one = said("vast")[h100, 1, "on_demand", "US", ""]
    assert (one.free, one.per, one.vcpus, one.memory_gb) == (2, "instance", None, None)
    assert said("vast")["Rubin R300", 8, "on_demand", "US", ""].memory_gb
    assert said("vast")[h100, 1, "spot", "US", ""].doubts == ("minimum_bid",)
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
        **{("H200", size, "on_demand", "US", "secure"): 3.59 for size in range(1, 9)},
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
        ("H100 SXM5", 1, "on_demand", "us-central-1", "virtual-machine"): 1.99,
        ("H100 SXM5", 8, "on_demand", "eu-north-4", "bare-metal"): 2.04,
        ("H100 SXM5", 8, "on_demand", "us-east-1", "bare-metal"): 2.0,  # two machines at 32 dollars
    }
    assert [one.free for one in said("hyperbolic").values()] == [None, 3, 0]
    assert {key[3]: (one.price, one.free) for key, one in said("cloudrift").items()} == {
        "us-east-nc-nr-1": (0.65, 3),  # 65 cents; three of its twelve machines are free
        "us-west-1": (0.65, 0),
    }
    assert prices("daytona") == {
        ("H100", 1, "on_demand", "", "H100"): 3.95, ("H100", 1, "spot", "", "H100"): 2.27,
        ("B200", 1, "on_demand", "", "B200"): 6.25, ("RTX-PRO-6000", 1, "on_demand", "", "RTX-PRO-6000"): 3.03,
    }  # fmt: skip
    doubts = {key[0]: one.doubts for key, one in said("daytona").items()}
    assert doubts["B200"] == ("component_only", "listed_not_sold")
    assert doubts["H100"] == ("component_only",)


def test_akash_cudo_and_ovh() -> None:
    assert prices("akash") == {
        ("A100-SXM4-80GB", 1, "on_demand", "", ""): 1.45,  # the median of bids
        ("H100 SXM5", 1, "on_demand", "", ""): 2.5,
    }
    assert {(one.free, one.doubts) for one in said("akash").values()} == {(2, ("minimum_bid",)), (0, ("minimum_bid",))}
    assert odd("akash") == ["a row"]  # without a price
    where = ("on_demand", "no-kristiansand-1", "sapphire-rapids-h100")
    assert prices("cudo") == pytest.approx({("H100 SXM", 1, *where): 1.8063})  # 1.80, a processor and a GiB
    assert {(key, one.currency) for key, one in said("ovh").items()} == {
        (("H100-80GB", 1, "on_demand", "", "h100-380"), "EUR"), (("L4", 1, "on_demand", "US", "l4-90"), "USD"),
    }  # fmt: skip
    assert [one.price for one in said("ovh").values()] == pytest.approx([2.7, 0.88])


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


@each_row(("name", "file", "before", "after", "says"), [
    ("vast", "h100.json", b'"offers"', b'"results"', "Vast's reply .* no offers any more, but results"),
    ("runpod", "types.json", b'"gpuTypes"', b'"gpus"', "RunPod's reply .* no data.gpuTypes any more"),
    ("vultr", "vdm.json", b'"plans"', b'"sizes"', "Vultr's reply .* no plans any more"),
    ("verda", "types.json", b'"price_per_hour"', b'"hourly"', "Verda's reply .* no price_per_hour any more"),
    ("scaleway", "par-2.json", b'"hourly_price"', b'"price"', "Scaleway's reply .* no hourly_price any more"),
    ("lium", "nodes.json", b'"price_per_gpu_hour"', b'"price"', "Lium's reply .* no price_per_gpu_hour any more"),
    ("thunder", "pricing.json", b"_x", b"-", "want names such as h100_x1_production, got a100xl-1_production"),
    ("hyperbolic", "options.json", b'"gpuType"', b'"gpu"', "Hyperbolic's reply .* no gpuType any more"),
    ("cloudrift", "types.json", b'"cost_per_hour"', b'"cost"', "CloudRift's reply .* no cost_per_hour any more"),
    ("daytona", "prices.json", b'"type"', b'"gpu"', "Daytona's reply .* no type any more"),
])  # fmt: skip
def test_a_changed_shape_is_told(name: str, file: str, before: bytes, after: bytes, says: str) -> None:
    with pytest.raises(FeedError, match=says):
        read(feeds()[name], {file: raw(name, file).replace(before, after)})


def test_a_field_that_vast_renamed_is_named() -> None:
    changed = {
        name: raw("vast", name).replace(b'"dph_total"', b'"dph"') for name in ("h100.json", "4090.json", "others.json")
    }
    with pytest.raises(FeedError, match=r"Vast's reply .* no dph_total any more, in none of 7 rows"):
        read(feeds()["vast"], changed)


def test_azure_has_four_ways_to_pay_and_reservations_are_for_a_whole_term() -> None:
    nc, nd = "Standard_NC40ads_H100_v5", "Standard_ND96isr_H200_v5"
    assert prices("azure") == pytest.approx(
        {
            ("H100-NVL-94GB", 1, "on_demand", "eastus", nc): 6.98,
            ("H100-NVL-94GB", 1, "reserved_1y", "eastus", nc): 5.8067,
            ("H100-NVL-94GB", 1, "reserved_3y", "eastus", nc): 4.306,
            ("H100-NVL-94GB", 1, "spot", "eastus", nc): 1.2564,
            ("T4-16GB", 1, "on_demand", "westeurope", "Standard_NC4as_T4_v3"): 0.605,
            ("H200-SXM-141GB", 8, "reserved_1y", "swedencentral", f"{nd}, reservation"): 50.7,  # 444,132 / 8,760
            ("H200-SXM-141GB", 8, "reserved_3y", "swedencentral", f"{nd}, reservation"): 35.0,  # 919,800 / 26,280
            ("A10-24GB", 2, "on_demand", "eastus", "Standard_NV72ads_A10_v5"): 6.52,
        }
    )
    one = said("azure")["H100-NVL-94GB", 1, "on_demand", "eastus", nc]
    assert (one.seller, one.per, one.currency, one.vcpus, one.ram_gb) == ("azure", "instance", "USD", 40, 320)
    assert odd("azure") == ["Standard_NC128ds_xl_Rubin_v1", nd]  # each name once; a term of five years


def test_aws_folds_what_is_paid_up_front_into_the_hours_and_drops_zeros() -> None:
    g6 = "g6.12xlarge"
    assert prices("aws") == pytest.approx(
        {
            ("H100-SXM5-80GB", 8, "on_demand", "us-east-1", "p5.48xlarge"): 55.04,
            ("H100-SXM5-80GB", 8, "capacity_block", "us-east-1", "p5.48xlarge"): 31.464,
            ("L4-24GB", 4, "on_demand", "us-east-1", g6): 4.6016,
            ("L4-24GB", 4, "reserved_1y", "us-east-1", g6): 2.9,
            ("L4-24GB", 4, "reserved_1y", "us-east-1", f"{g6}, partly upfront"): 2.8,  # 1.4 + 12,264 / 8,760
            ("L4-24GB", 4, "reserved_3y", "us-east-1", f"{g6}, all upfront"): 2.1,  # 55,188 / 26,280
            ("H100-SXM5-80GB", 8, "reserved_1y", "us-east-1", "p5.48xlarge, compute savings plan"): 30.1,
            ("H100-SXM5-80GB", 8, "reserved_3y", "us-east-1", "p5.48xlarge, instance savings plan, all upfront"): 28.4,
            ("A100-SXM4-40GB", 8, "on_demand", "eu-north-1", "p4d.24xlarge"): 24.1534,
        }
    )
    assert said("aws")["A100-SXM4-40GB", 8, "on_demand", "eu-north-1", "p4d.24xlarge"].ram_gb == 1152
    assert [name for name in odd("aws") if "on demand" not in name] == ["p9-r200.48xlarge"]


@pytest.mark.slow
def test_a_version_of_a_file_of_aws_is_loaded_once(tmp_path: Path) -> None:
    feed, terms, plans = feeds()["aws"], "/20261119190000/us-east-1/", "/20261120210000/us-east-1/"
    with the_world() as world:

        def files_and_prices() -> tuple[set[str], list[AnyObservation]]:
            client = Client(feed, ClientLimits(tries=1), at=world.hosts(), environ={}, copies=tmp_path)
            world.asked.clear()
            every = [(reply.digest, one) for reply, one in feed.read(client)]
            client.close()
            assert all(len(digest) == 64 for digest, _ in every)
            loaded = {word for word in (terms, plans, "/2027") for asked in world.asked if word in asked.path}
            return loaded, [one for _, one in every if isinstance(one, Observation)]

        first = files_and_prices()
        assert first[0] == {terms, plans}
        assert files_and_prices() == (set(), first[1])
        for copy in tmp_path.glob("*terms*"):
            copy.write_bytes(b"cut off")
        assert files_and_prices() == ({terms}, first[1]), "a damaged copy is none"
        (file,) = [entry for _, entry in world._recorded if entry["file"] == "us-east-1.csv"]
        file["url"] = file["url"].replace("20261119", "2027")
        newer = Answer(body=raw("aws", "versions.json").replace(b"20261119", b"2027"))
        answer, newest = world.answer, "AmazonEC2/current/region_index.json"
        world.answer = lambda asked: newer if asked.path.endswith(newest) else answer(asked)  # type: ignore[method-assign]
        assert files_and_prices() == ({"/2027"}, first[1]), "another version is loaded"


@pytest.mark.slow
def test_a_trial_refresh_keeps_no_copy(tmp_path: Path) -> None:
    aws, there = feeds()["aws"], {"RENT_OR_BUY_DATA": str(tmp_path)}
    with the_world() as world:
        ways = Ways(environ=there, at=world.hosts(), dry=True, limits=ClientLimits(tries=1))
        refresh((aws,), load_catalogue(), ways)
        assert not list(tmp_path.rglob("*.json"))
        refresh((aws,), load_catalogue(), replace(ways, dry=False))
        assert len(list((tmp_path / "copies").glob("*.json"))) == 2


def test_gcosts_gives_hours_and_months_and_its_own_day() -> None:
    one, eight = "a3-highgpu-1g", "a3-highgpu-8g"
    assert prices("gcp-gcosts") == pytest.approx(
        {
            ("H100-SXM5-80GB", 1, "on_demand", "us-central1", one): 11.06125,
            ("H100-SXM5-80GB", 1, "spot", "us-central1", one): 3.3183,
            ("H100-SXM5-80GB", 1, "reserved_1y", "us-central1", one): 7.63,  # 5,569.9 / 730
            ("H100-SXM5-80GB", 1, "reserved_3y", "us-central1", one): 4.86,  # 3,547.8 / 730
            ("H100-SXM5-80GB", 8, "on_demand", "europe-west4", eight): 97.34,
        }
    )
    told = said("gcp-gcosts")
    assert told["H100-SXM5-80GB", 1, "on_demand", "us-central1", one].doubts == ("listed_not_sold",)
    assert told["H100-SXM5-80GB", 1, "spot", "us-central1", one].doubts == ()
    assert {one.day for one in told.values()} == {date(2026, 11, 20)}
    assert odd("gcp-gcosts") == ["a9-highgpu-8g"]


def test_googles_machines_are_put_together_from_their_parts() -> None:
    found = prices("gcp-billing")
    # an L4 at 0.56004, a core at 0.02498, a GB at 0.00293: 4 cores and 16 GB, then 96 and 384 with eight
    assert found["L4-24GB", 1, "on_demand", "us-central1", "g2-standard-4"] == pytest.approx(0.70684)
    assert found["L4-24GB", 8, "on_demand", "us-central1", "g2-standard-96"] == pytest.approx(8.00352)
    assert found["L4-24GB", 1, "reserved_1y", "us-central1", "g2-standard-4"] == pytest.approx(0.445225)
    assert found["B200-SXM-180GB", 8, "spot", "us-east5", "a4-highgpu-8g"] == pytest.approx(51.52)
    assert found["B200-SXM-180GB", 8, "capacity_block", "us-east5", "a4-highgpu-8g"] == pytest.approx(72.8)
    h200 = "H200-SXM-141GB", 8, "on_demand", "europe-west4", "a3-ultragpu-8g"  # 12,000 GiB of disks at 0.073 a month
    assert found[h200] == pytest.approx(8 * 10 + 224 * 0.03 + 2952 * 0.003 + 1.2)
    assert found["H200-SXM-141GB", 8, "spot", "europe-west4", "a3-ultragpu-8g"] == pytest.approx(
        24 + 2.24 + 2.952 + 0.6
    )
    assert {key[2] for key in found if key[0] == "L4-24GB"} == {"on_demand", "reserved_1y"}  # spot lacks its memory
    told = said("gcp-billing")
    assert told["B200-SXM-180GB", 8, "on_demand", "us-east5", "a4-highgpu-8g"].doubts == ("listed_not_sold",)
    alone = told["T4-16GB", 1, "on_demand", "europe-west3", "N1 with an accelerator"]
    assert (alone.price, alone.doubts) == (pytest.approx(0.41), ("component_only",))


def test_oracles_shapes_are_billed_by_accelerator_and_preemptible_ones_at_half() -> None:
    where = "all commercial regions"
    assert prices("oci") == pytest.approx(
        {
            ("H100-SXM5-80GB", 8, "on_demand", where, "BM.GPU.H100.8 (B98415)"): 10.0,
            ("GB200-NVL72-186GB", 4, "on_demand", where, "BM.GPU.GB200.4 (B110979)"): 16.0,
            ("V100-SXM2-16GB", 2, "on_demand", where, "VM.GPU3.2 (B88518)"): 2.95,
            ("V100-SXM2-16GB", 2, "spot", where, "VM.GPU3.2 (B88518)"): 1.475,
        }
    )
    told = said("oci")
    assert {one.per for one in told.values()} == {"accelerator"}
    assert told["GB200-NVL72-186GB", 4, "on_demand", where, "BM.GPU.GB200.4 (B110979)"].fabric == "nvlink_domain"
    assert odd("oci") == ["BM.GPU.L40S.4", "BM.GPU.R200.8"]


def test_a_field_that_azure_renamed_is_named() -> None:
    changed = raw("azure", "nc-1.json").replace(b'"retailPrice"', b'"listPrice"')
    rest = {name: raw("azure", name).replace(b'"retailPrice"', b'"listPrice"') for name in ("nc-2.json", "nv.json")}
    rest["nd-reserved.json"] = raw("azure", "nd-reserved.json").replace(b'"retailPrice"', b'"listPrice"')
    with pytest.raises(FeedError, match=r"Azure's reply .* no retailPrice any more, in none of 11 rows"):
        read(feeds()["azure"], {"nc-1.json": changed, **rest})


def test_one_row_without_a_price_is_odd_and_the_rest_is_read() -> None:
    page = json.loads(raw("azure", "nv.json"))
    del page["Items"][1]["retailPrice"]
    found = read(feeds()["azure"], {"nv.json": json.dumps(page).encode()})
    assert len([one for one in found if isinstance(one, Observation)]) == 7
    assert any(isinstance(one, UnreadableRow) and "no retailPrice" in one.why for one in found)


@pytest.mark.parametrize(
    ("before", "after", "says"),
    [(b'"PricePerUnit"', b'"Price"', "no column PricePerUnit"), (b'"SKU"', b'"Sku"', "no column SKU")],
)
def test_a_region_of_aws_that_changed_is_odd_and_all_of_them_an_error(before: bytes, after: bytes, says: str) -> None:
    files = ("us-east-1.csv", "eu-north-1.csv", "none.csv")
    changed = {name: raw("aws", name).replace(before, after) for name in files}
    found = read(feeds()["aws"], {"us-east-1.csv": changed["us-east-1.csv"]})
    assert [one.what for one in found if isinstance(one, UnreadableRow) and says in one.why] == ["us-east-1, terms"]
    terms = [one for one in found if isinstance(one, Observation) and one.purchase != "on_demand"]
    assert all("savings plan" in term.sku for term in terms)
    assert "us-east-1" in {one.region for one in found if isinstance(one, Observation)}, "the small list is there"
    with pytest.raises(FeedError):
        read(feeds()["aws"], changed | {"small.json": b"{}", "plans.json": b"{}"})


@pytest.mark.parametrize(("name", "file", "before", "after", "says"), [
    ("azure", "nc-1.json", b'"Items"', b'"items"', "no Items any more, but BillingCurrency"),
    ("gcp-gcosts", "pricing.yml", b"  instance:", b"  machines:", "got none at all"),
    ("gcp-billing", "1.json", b'"skus"', b'"items"', "no skus any more"),
    ("oci", "products.json", b"GPU Per Hour", b"GPU Hour", "none of 6 products is priced by"),
    ("oci", "shapes.json", b'"products"', b'"parts"', "no products any more"),
])  # fmt: skip
def test_a_changed_shape_is_told_in_sources_clouds(
    name: str, file: str, before: bytes, after: bytes, says: str
) -> None:
    with pytest.raises(FeedError, match=says):
        read(feeds()[name], {file: raw(name, file).replace(before, after)})
