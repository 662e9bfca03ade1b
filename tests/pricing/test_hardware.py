"""What hardware can do, what it costs and how often it fails, as it stands in the data."""

from pathlib import Path

import pytest

from pricing.catalogue import Catalogue, figures
from pricing.errors import AmbiguousNameError
from pricing.figure import Figure
from pricing.names import accelerator
from tests.rows import each_row

ROOT = Path(__file__).parents[2]
RATES = (
    "fp64_tflops", "fp32_tflops", "tf32_dense_tflops", "fp16_dense_tflops", "bf16_dense_tflops",
    "fp8_dense_tflops", "fp4_dense_tflops", "int8_dense_tops",
)  # fmt: skip
KINDS = {"gpu", "tpu", "asic", "apu", "cpu", "apple", "edge"}


def typical(figure: Figure | None) -> float:
    return figure.newest.typical


def test_there_is_enough_to_choose_from(catalogue: Catalogue) -> None:
    assert len(catalogue.accelerators) >= 60
    assert len(catalogue.servers) >= 20
    assert {chip.kind for chip in catalogue.accelerators.values()} == KINDS


def test_every_accelerator_and_server_says_at_least_one_thing(catalogue: Catalogue) -> None:
    told = {(placed.section, placed.record) for placed in figures(catalogue)}
    assert {key for key in catalogue.accelerators if ("accelerators", key) not in told} == set()
    assert {key for key in catalogue.servers if ("servers", key) not in told} == set()


# Each of these has been printed wrongly somewhere: sparse for dense, one part for another, a pair for one.
@each_row(("chip", "field", "value"), [
    ("H100-SXM5-80GB", "bf16_dense_tflops", 989.5), ("H100-SXM5-80GB", "fp8_dense_tflops", 1979),
    ("H100-SXM5-80GB", "link_gb_s", 900), ("H100-PCIe-80GB", "bf16_dense_tflops", 756),
    ("H100-PCIe-80GB", "memory_bandwidth_gb_s", 2039), ("H100-NVL-94GB", "bf16_dense_tflops", 835.5),
    ("H200-SXM-141GB", "bf16_dense_tflops", 989.5), ("H200-SXM-141GB", "memory_bandwidth_gb_s", 4800),
    ("H20-96GB", "bf16_dense_tflops", 148), ("A100-SXM4-80GB", "memory_bandwidth_gb_s", 2039),
    ("A100-SXM4-40GB", "memory_bandwidth_gb_s", 1555), ("A100-PCIe-40GB", "tdp_w", 250),
    ("L40-48GB", "bf16_dense_tflops", 181), ("L40S-48GB", "bf16_dense_tflops", 362),
    ("L4-24GB", "fp8_dense_tflops", 242), ("B200-SXM-180GB", "fp8_dense_tflops", 4500),
    ("GB200-NVL72-186GB", "bf16_dense_tflops", 2500), ("GB200-NVL72-186GB", "price_usd", 42000),
    ("B300-SXM-288GB", "fp64_tflops", 1.25), ("B300-SXM-288GB", "int8_dense_tops", 157.5),
    ("RTX-3090-24GB", "fp16_dense_tflops", 71), ("RTX-4090-24GB", "fp16_dense_tflops", 165.2),
    ("RTX-5090-32GB", "bf16_dense_tflops", 209.6), ("RTX-PRO-6000-96GB", "bf16_dense_tflops", 503.8),
    ("DGX-Spark-GB10-128GB", "fp4_dense_tflops", 500), ("MI100-32GB", "bf16_dense_tflops", 92.3),
    ("MI300X-192GB", "bf16_dense_tflops", 1307.4), ("MI355X-288GB", "fp8_dense_tflops", 5033),
    ("Gaudi3-128GB", "bf16_dense_tflops", 1677), ("Gaudi3-128GB", "fp16_dense_tflops", 459),
    ("Gaudi3-128GB", "fp8_dense_tflops", 1677), ("TPU-v5e", "bf16_dense_tflops", 197),
    ("Trainium1-32GB", "bf16_dense_tflops", 190), ("H100-SXM-96GB-HBM2e-500W", "memory_bandwidth_gb_s", 2400),
    ("P40-24GB", "memory_bandwidth_gb_s", 346), ("RTX-PRO-5000-48GB", "bf16_dense_tflops", 258),
    ("RTX-PRO-2000-16GB", "fp4_dense_tflops", 272.5), ("Jetson-AGX-Thor-128GB", "fp4_dense_tflops", 1035),
    ("Trainium3", "memory_gb", 144), ("Apple-M5-Max-40c", "memory_bandwidth_gb_s", 614),
])  # fmt: skip
def test_known_traps(catalogue: Catalogue, chip: str, field: str, value: float) -> None:
    assert typical(getattr(catalogue.accelerators[chip], field)) == value


def test_what_has_no_good_source_is_absent(catalogue: Catalogue) -> None:
    chips = catalogue.accelerators
    assert chips["A10G-24GB"].bf16_dense_tflops is None, "the A10's rate is not the A10G's"
    assert chips["H800-SXM5-80GB"].link_gb_s is None
    assert chips["T4-16GB"].bf16_dense_tflops is None
    assert chips["V100-SXM2-16GB"].bf16_dense_tflops is None
    assert chips["GH200-96GB"].price_usd is None, "only whole machines have a price"
    assert chips["H20-141GB"].price_usd is None, "published prices are of the 96 GB part"
    assert chips["Ascend-910B-64GB"].memory_bandwidth_gb_s is None, "pages contradict each other"
    assert chips["MI440X-432GB"].bf16_dense_tflops is None, "the MI455X's rate is not the MI440X's"
    rent_only = [chip for chip in chips.values() if chip.rent_only]
    assert len(rent_only) >= 10
    assert all(chip.price_usd is None for chip in rent_only)
    assert chips["MI250X-128GB"].dies_per_unit == 2


# The newest parts have narrow-format units of their own, beyond twice the 16-bit rate.
WIDER = {"Trainium3": 3.8, "Rubin-R200-288GB": 4.4}


def test_no_rate_is_the_sparse_one(catalogue: Catalogue) -> None:
    for key, chip in catalogue.accelerators.items():
        sixteen = [typical(rate) for rate in (chip.bf16_dense_tflops, chip.fp16_dense_tflops) if rate is not None]
        if chip.fp8_dense_tflops is not None and sixteen:
            assert typical(chip.fp8_dense_tflops) <= WIDER.get(key, 2.1) * max(sixteen), key
        if chip.int8_dense_tops is not None and sixteen:
            assert typical(chip.int8_dense_tops) <= 4.2 * max(sixteen), key
        if chip.fp4_dense_tflops is not None and chip.fp8_dense_tflops is not None:
            assert typical(chip.fp4_dense_tflops) <= 4.1 * typical(chip.fp8_dense_tflops), key
        if chip.tf32_dense_tflops is not None and sixteen:
            assert typical(chip.tf32_dense_tflops) <= 1.01 * max(sixteen), key


# Bits a second on one wire, at most and at least, and the widest and narrowest bus that was ever built with it; the
# makers of memory publish these. A bandwidth outside of them is another part's, doubled, or halved.
WIRES = {
    "GDDR5": (5, 9, 256, 512),
    "GDDR6": (12, 20, 128, 384),
    "GDDR6X": (19, 24, 192, 384),
    "GDDR7": (18, 32, 128, 512),  # the small workstation cards run it at 18
    "HBM2": (1.7, 2.5, 3072, 5120),
    "HBM2e": (2.4, 3.7, 2048, 8192),
    "HBM3": (5, 6.5, 4096, 8192),
    "HBM3e": (6, 9.6, 6144, 8192),
    "HBM4": (6, 11, 16384, 24576),
}


def test_no_bandwidth_is_more_or_less_than_its_memory_can_do(catalogue: Catalogue) -> None:
    for key, chip in catalogue.accelerators.items():
        if chip.kind == "gpu" and chip.memory_bandwidth_gb_s is not None:
            assert chip.memory_type in WIRES, key
            slow, fast, narrow, wide = WIRES[chip.memory_type]
            assert slow * narrow / 8 <= typical(chip.memory_bandwidth_gb_s) <= fast * wide / 8, key


# Shader cores and boost clock in MHz, as printed: each core does two operations in a cycle.
CORES = {
    "P40-24GB": (3840, 1531), "T4-16GB": (2560, 1590), "L4-24GB": (7424, 2040), "L40S-48GB": (18176, 2520),
    "RTX-3060-12GB": (3584, 1777), "RTX-3060-Ti-8GB": (4864, 1665), "RTX-3070-8GB": (5888, 1725),
    "RTX-3070-Ti-8GB": (6144, 1770), "RTX-3080-10GB": (8704, 1710), "RTX-3080-Ti-12GB": (10240, 1665),
    "RTX-3090-24GB": (10496, 1695), "RTX-3090-Ti-24GB": (10752, 1860), "RTX-4060-8GB": (3072, 2460),
    "RTX-4070-12GB": (5888, 2475), "RTX-4070-SUPER-12GB": (7168, 2475), "RTX-4070-Ti-12GB": (7680, 2610),
    "RTX-4070-Ti-SUPER-16GB": (8448, 2610), "RTX-4080-16GB": (9728, 2505), "RTX-4080-SUPER-16GB": (10240, 2550),
    "RTX-4090-24GB": (16384, 2520), "RTX-4090-D-24GB": (14592, 2520), "RTX-5060-Ti-16GB": (4608, 2572),
    "RTX-5070-12GB": (6144, 2512), "RTX-5070-Ti-16GB": (8960, 2452), "RTX-5090-32GB": (21760, 2407),
    "RTX-5080-16GB": (10752, 2617), "RTX-4060-Ti-16GB": (4352, 2535), "RTX-2080-Ti-11GB": (4352, 1545),
    "RTX-PRO-5000-72GB": (14080, 2377), "RTX-PRO-4500-32GB": (10496, 2407), "RTX-PRO-4000-24GB": (8960, 2055),
    "RTX-A4500-20GB": (7168, 1650), "RTX-4500-Ada-24GB": (7680, 2580), "A2-16GB": (1280, 1770),
    "P100-PCIe-16GB": (3584, 1329), "Arc-B580-12GB": (2560, 2670),
    "RTX-A6000-48GB": (10752, 1800), "RTX-6000-Ada-48GB": (18176, 2505), "RTX-PRO-6000-96GB": (24064, 2617),
}  # fmt: skip


@each_row("chip", CORES)
def test_single_precision_is_two_operations_a_core_and_cycle(catalogue: Catalogue, chip: str) -> None:
    cores, boost_mhz = CORES[chip]
    assert typical(catalogue.accelerators[chip].fp32_tflops) == pytest.approx(2 * cores * boost_mhz / 1e6, rel=0.006)


def test_rates_are_specifications_or_say_what_else_they_are(catalogue: Catalogue) -> None:
    for key, chip in catalogue.accelerators.items():
        for field in (*RATES, "memory_gb", "memory_bandwidth_gb_s", "link_gb_s", "tdp_w"):
            figure = getattr(chip, field)
            if figure is not None and figure.newest.kind not in {"spec", "measured"}:
                assert figure.newest.note or chip.kind == "apple", f"{key}.{field}"


@each_row(("chip", "mebibytes"), [
    ("H100-SXM5-80GB", 81_559), ("A100-SXM4-80GB", 81_920), ("H200-SXM-141GB", 143_771),
    ("B200-SXM-180GB", 183_359), ("GB200-NVL72-186GB", 189_471), ("L40S-48GB", 46_068),
    ("RTX-4090-24GB", 24_564), ("MI300X-192GB", 192 * 1024),
])  # fmt: skip
def test_real_memory_is_the_drivers_reading(catalogue: Catalogue, chip: str, mebibytes: int) -> None:
    real = typical(catalogue.accelerators[chip].memory_real_gb)
    assert real == pytest.approx(mebibytes * 1_048_576 / 1e9, rel=2e-4)


def test_real_memory_is_never_far_from_the_label(catalogue: Catalogue) -> None:
    for key, chip in catalogue.accelerators.items():
        if chip.memory_real_gb is not None:
            assert 1.0 <= typical(chip.memory_real_gb) / typical(chip.memory_gb) <= 1.08, key


def test_slices_fit_into_the_part(catalogue: Catalogue) -> None:
    sliced = {key: chip for key, chip in catalogue.accelerators.items() if chip.mig}
    assert len(sliced) >= 12
    for key, chip in sliced.items():
        assert chip.mig_source in catalogue.sources
        # the driver's reading is the measure where there is one; names are rounded, by up to half a gigabyte a slice
        whole = typical(chip.memory_real_gb or chip.memory_gb)
        for profile in chip.mig:
            assert profile.count * profile.memory_gb <= whole + profile.count / 2, f"{key} {profile.name}"
            assert profile.count * profile.compute_share <= 1.0001, f"{key} {profile.name}"
    for key in ("T4-16GB", "L4-24GB", "L40S-48GB", "A10-24GB"):
        assert not catalogue.accelerators[key].mig, key


@each_row(("typed", "meant"), [
    ("RTX-4090", "RTX-4090-24GB"), ("4090", "RTX-4090-24GB"), ("nvidia geforce rtx 4090", "RTX-4090-24GB"),
    ("RTX-5090", "RTX-5090-32GB"), ("RTX-A6000", "RTX-A6000-48GB"), ("RTX-3090", "RTX-3090-24GB"),
    ("RTX-6000-Ada", "RTX-6000-Ada-48GB"), ("RTX-A4000", "RTX-A4000-16GB"), ("RTX-A5000", "RTX-A5000-24GB"),
    ("nvidia rtx a5000", "RTX-A5000-24GB"), ("RTX-3090-Ti", "RTX-3090-Ti-24GB"),
    ("RTX-5080", "RTX-5080-16GB"), ("RTX-4000-Ada", "RTX-4000-Ada-20GB"), ("RTX-3060", "RTX-3060-12GB"),
    ("RTX-4060-Ti", "RTX-4060-Ti-16GB"), ("RTX-3080", "RTX-3080-10GB"),
    ("Quadro-RTX-6000", "Quadro-RTX-6000-24GB"), ("RTX-4080", "RTX-4080-16GB"),
    ("Quadro-RTX-5000", "Quadro-RTX-5000-16GB"), ("RTX-3080Ti-12GB", "RTX-3080-Ti-12GB"),
    ("rtx pro 6000", "RTX-PRO-6000-96GB"), ("RTX-PRO-6000-Blackwell-SE-96GB", "RTX-PRO-6000-96GB"),
    ("RTX-8000-48GB", "Quadro-RTX-8000-48GB"), ("amd radeon rx 7900 xtx", "RX-7900-XTX-24GB"),
    ("H200-SXM5-141GB", "H200-SXM-141GB"), ("H200-SXM", "H200-SXM-141GB"),
    ("A100-PCIE-80GB", "A100-PCIe-80GB"), ("H100 80GB HBM3", "H100-SXM5-80GB"),
    ("H800-80GB", "H800-SXM5-80GB"), ("GB200", "GB200-NVL72-186GB"), ("GB200-186GB", "GB200-NVL72-186GB"),
    ("GB200-NVL72-192GB", "GB200-NVL72-186GB"), ("GB200-per-GPU-186GB", "GB200-NVL72-186GB"),
    ("GB300-279GB", "GB300-NVL72-288GB"), ("B300-SXM-270GB", "B300-SXM-288GB"), ("B200", "B200-SXM-180GB"),
    ("L40S", "L40S-48GB"), ("MI300X", "MI300X-192GB"), ("nvidia l40", "L40-48GB"),
    ("TPU-v7x (chip)", "TPU-v7"), ("Ironwood", "TPU-v7"), ("Trillium", "TPU-v6e"),
    ("Gaudi 3", "Gaudi3-128GB"), ("Inferentia2 (Inf2.48xlarge)", "Inferentia2-32GB"),
    ("Trainium1 (trn1.2xlarge)", "Trainium1-32GB"), ("Mac Studio (M3 Ultra 512GB)", "Apple-M3-Ultra-512GB"),
    ("CPU: Xeon Platinum 8480+", "CPU-Xeon-8480plus"),
    ("H100-SXM-96GB-HBM2e-500W", "H100-SXM-96GB-HBM2e-500W"), ("DGX Spark", "DGX-Spark-GB10-128GB"),
    ("rtx pro 5000", "RTX-PRO-5000-48GB"), ("RTX PRO 4000 Blackwell", "RTX-PRO-4000-24GB"),
    ("a4500", "RTX-A4500-20GB"), ("Tesla P100", "P100-PCIe-16GB"), ("arc b580", "Arc-B580-12GB"),
    ("strix halo", "Ryzen-AI-Max-395-128GB"), ("ryzen ai max+ 395", "Ryzen-AI-Max-395-128GB"),
    ("M5 Max", "Apple-M5-Max-40c"), ("jetson thor", "Jetson-AGX-Thor-128GB"),
    ("Jetson Orin", "Jetson-AGX-Orin-64GB"), ("MI450X", "MI455X-432GB"), ("MI440X", "MI440X-432GB"),
    ("VR200", "Rubin-R200-288GB"), ("vera rubin", "Rubin-R200-288GB"), ("Ascend 910C", "Ascend-910C-128GB"),
    ("2080 Ti", "RTX-2080-Ti-11GB"), ("R9700", "Radeon-AI-PRO-R9700-32GB"),
])  # fmt: skip
def test_spellings_seen_and_typed_lead_to_one_record(catalogue: Catalogue, typed: str, meant: str) -> None:
    assert accelerator(catalogue, typed) == meant


@each_row(("typed", "candidate"), [
    ("H100", "GH200-96GB"), ("nvidia h100", "H100-NVL-94GB"), ("H100-80GB-unspecified", "H100-PCIe-80GB"),
    ("A100", "A100-PCIe-40GB"), ("A100-80GB-unspecified", "A100-SXM4-80GB"),
    ("A100-40GB-unspecified", "A100-SXM4-40GB"), ("V100", "V100-SXM2-32GB"),
    ("V100-16GB-unspecified", "V100-PCIe-16GB"), ("V100-32GB", "V100-PCIe-32GB"),
    ("H200", "H200-NVL-141GB"), ("GH200", "GH200-144GB"),
])  # fmt: skip
def test_trade_names_ask_back(catalogue: Catalogue, typed: str, candidate: str) -> None:
    with pytest.raises(AmbiguousNameError) as asked:
        accelerator(catalogue, typed)
    assert candidate in asked.value.candidates


def test_a_server_draws_more_than_nothing_and_less_than_its_rating(catalogue: Catalogue) -> None:
    for key, server in catalogue.servers.items():
        if server.typical_power_w is not None:
            assert 0.5 <= typical(server.typical_power_w) / typical(server.max_power_w) < 1, key
        tdp = catalogue.accelerators[server.accelerator].tdp_w
        if server.max_power_w is not None and tdp is not None:
            assert typical(server.max_power_w) >= server.accelerators * typical(tdp), key


def fact(catalogue: Catalogue, key: str) -> float:
    return typical(catalogue.facts[key].figure)


def test_the_sum_of_owning_can_be_recomputed(catalogue: Catalogue) -> None:
    network = {case: fact(catalogue, f"network-{case}") for case in ("to-512", "to-16k", "above-16k")}
    assert network["to-512"] < network["to-16k"] < network["above-16k"]
    for nodes in (2, 4, 8):  # one switch, shared by ever more, and a link for each
        switch = fact(catalogue, "network-switch-400g") / (8 * nodes)
        assert fact(catalogue, f"network-to-{8 * nodes}") == pytest.approx(switch + 675_840 / 512)
    assert fact(catalogue, "network-to-64") == network["to-512"], "the next switch comes with the next 64"
    assert fact(catalogue, "network-switches-to-16k") + fact(catalogue, "network-optics-to-16k") == network["to-16k"]
    spares = 1 + fact(catalogue, "owned-spare-nodes-share")
    storage = fact(catalogue, "owned-storage-gb-per-accelerator") / 1_000 * fact(catalogue, "owned-storage-usd-per-tb")
    node = catalogue.facts["owned-node-price"].figure.newest
    assert node.low is not None
    assert node.high is not None
    said = catalogue.facts["owned-capex-per-accelerator"].figure.newest
    ends = ((node.low, "to-512", said.low), (node.high, "above-16k", said.high))
    for price, size, total in ((node.typical, "to-16k", said.typical), *ends):
        assert (price + 8 * network[size]) * spares / 8 + storage == pytest.approx(total, abs=1)


def test_llama_3_interruptions_add_up(catalogue: Catalogue) -> None:
    causes = [fact(catalogue, key) for key in catalogue.facts if key.startswith("llama3-cause-")]
    unexpected = fact(catalogue, "llama3-interruptions-unexpected")
    assert sum(causes) == unexpected
    assert unexpected + fact(catalogue, "llama3-interruptions-planned") == fact(catalogue, "llama3-interruptions")
    assert 54 * 24 / unexpected == pytest.approx(fact(catalogue, "llama3-mtti"), abs=0.01)
    assert unexpected / 2_048 / 54 * 1_000 == pytest.approx(fact(catalogue, "llama3-node-failures"), abs=0.01)


def test_shares_are_shares_and_not_percentages(catalogue: Catalogue) -> None:
    ratios = {"h100-memory-mtbe-over-a100", "storage-ssd-to-hdd", "server-power-over-tdp"}  # one thing over another
    topics = {"network", "storage", "power", "cooling", "spares", "maintenance", "insurance", "install", "reliability",
              "preemption", "residual"}  # fmt: skip
    for key, one in catalogue.facts.items():
        if one.figure.unit == "1" and one.topic in topics and key not in ratios:
            assert all(abs(value.typical) <= 1 for value in one.figure.values.values()), key


def test_every_assumption_here_is_argued_in_the_decision(catalogue: Catalogue) -> None:
    ours = catalogue.sources["hw_ours_owning"]
    decision = (ROOT / ours.url).read_text(encoding="utf-8")
    assumed = [
        placed for placed in figures(catalogue)
        for value in placed.figure.values.values() if value.kind == "assumption" and value.source == "hw_ours_owning"
    ]  # fmt: skip
    assert len(assumed) >= 9
    assert {placed.record for placed in assumed if f"`{placed.record}`" not in decision} == set()
    for placed in figures(catalogue):
        for value in placed.figure.values.values():
            if value.kind == "assumption":
                assert (ROOT / catalogue.sources[value.source].url).is_file(), placed.record


def test_each_delivery_is_for_what_it_says(catalogue: Catalogue) -> None:
    """One for each channel is for all, one usual one for each chip that is named and for each class."""
    everything = {
        delivery.channel
        for delivery in catalogue.deliveries.values()
        if not delivery.accelerators and not delivery.products
    }
    assert everything == {"stock", "used", "standard", "priority"}
    named = [key for one in catalogue.deliveries.values() if one.usual for key in (*one.accelerators, *one.products)]
    assert len(named) == len(set(named))
    usual = [one for one in catalogue.deliveries.values() if one.usual and not one.accelerators and not one.products]
    assert len(usual) == 1
    months = {key: one.lead_time_month.newest.typical for key, one in catalogue.deliveries.items()}
    assert months["any-used"] < months["any-priority"] < months["allocated-standard"]
    priced_used = {key for key, chip in catalogue.accelerators.items() if chip.priced_used}
    assert {"A100-SXM4-80GB", "RTX-4090-24GB", "H100-PCIe-80GB"} <= priced_used
    assert not {"H100-SXM5-80GB", "B200-SXM-180GB", "RTX-5090-32GB"} & priced_used
