"""The large clouds, read from recorded replies; what is expected was reckoned by hand from those."""

import json
from datetime import date

import pytest

from pricing.feeds.feed import FeedError, Observation, UnreadableRow
from pricing.feeds.sources import feeds
from tests.pricing.feeds.replay import odd, prices, raw, read, said


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
            ("A100-SXM4-40GB", 8, "on_demand", "eu-north-1", "p4d.24xlarge"): 24.1534,
        }
    )
    assert said("aws")["A100-SXM4-40GB", 8, "on_demand", "eu-north-1", "p4d.24xlarge"].ram_gb == 1152
    assert odd("aws") == ["p9-r200.48xlarge"]


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
    assert [one.what for one in found if isinstance(one, UnreadableRow) and says in one.why] == ["us-east-1"]
    assert [one.region for one in found if isinstance(one, Observation)] == ["eu-north-1"]
    with pytest.raises(FeedError, match=says):
        read(feeds()["aws"], changed)


@pytest.mark.parametrize(("name", "file", "before", "after", "says"), [
    ("azure", "nc-1.json", b'"Items"', b'"items"', "no Items any more, but BillingCurrency"),
    ("gcp-gcosts", "pricing.yml", b"  instance:", b"  machines:", "got none at all"),
    ("gcp-billing", "1.json", b'"skus"', b'"items"', "no skus any more"),
    ("oci", "products.json", b"GPU Per Hour", b"GPU Hour", "none of 6 products is priced by"),
    ("oci", "shapes.json", b'"products"', b'"parts"', "no products any more"),
])  # fmt: skip
def test_a_changed_shape_is_told(name: str, file: str, before: bytes, after: bytes, says: str) -> None:
    with pytest.raises(FeedError, match=says):
        read(feeds()[name], {file: raw(name, file).replace(before, after)})
