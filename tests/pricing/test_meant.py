"""The ways in which people write accelerators, models and places: the record they mean, or a refusal with choices."""

import random
import re

import pytest

from planner.speed.match_model import model_meant
from pricing import meant, names
from pricing.catalogue import Catalogue
from pricing.errors import AmbiguousNameError, NameLookupError, UnknownNameError
from tests.rows import each_row

pytestmark = pytest.mark.slow

CHIPS = {
    "H100-SXM5-80GB": ["h100 sxm", "H100 SXM5", "h100-sxm5-80gb", "Nvidia H100 SXM 80GB", "H100 80GB SXM5",
                       "h100 sxm 80 gb", "NVIDIA H100 80GB HBM3", "hgx h100 sxm", "H100_SXM5_80G", "h100"],
    "H100-PCIe-80GB": ["h100 pcie", "H100 PCI-E 80GB", "nvidia h100 80gb pcie", "H100 PCI Express"],
    "H100-NVL-94GB": ["h100 nvl", "h100 94gb", "nvidia H100 NVL 94 GB"],
    "H200-SXM-141GB": ["h200 sxm", "H200", "nvidia h200 141gb", "HGX H200"],
    "H200-NVL-141GB": ["h200 nvl", "H200 NVL 141GB"],
    "GH200-96GB": ["gh200 96gb", "gh200", "NVIDIA GH200 96 G"],
    "GH200-144GB": ["gh200 144gb", "gh200-144g"],
    "A100-SXM4-80GB": ["A100 80GB", "a100 80g", "a100 sxm4 80gb", "nvidia a100 80gb sxm", "a100",
        "A100 80 GB SXM4", "a100 sxm"],
    "A100-SXM4-40GB": ["a100 40gb", "A100 40GB SXM4", "a100-sxm4-40g"],
    "A100-PCIe-80GB": ["a100 pcie 80gb", "A100 80GB PCIe", "a100 pcie"],
    "A100-PCIe-40GB": ["a100 pcie 40gb", "NVIDIA A100 40 GB PCI-E"],
    "V100-SXM2-16GB": ["v100", "v100 16gb", "tesla v100 sxm2 16gb"],
    "V100-SXM2-32GB": ["v100 32gb", "Tesla V100 SXM2 32GB", "v100 32g sxm2"],
    "V100-PCIe-32GB": ["v100 32gb pcie", "V100 PCIE 32 GB"],
    "B200-SXM-180GB": ["b200", "B200 SXM", "nvidia b200 180gb", "hgx b200", "B200 192GB"],
    "B300-SXM-288GB": ["b300", "HGX B300", "b300 288 gb"],
    "GB200-NVL72-186GB": ["gb200", "GB200 NVL72", "nvidia gb200 nvl 72"],
    "GB300-NVL72-288GB": ["gb300 nvl72", "GB300"],
    "RTX-4090-24GB": ["rtx 4090", "RTX4090", "4090", "NVIDIA GeForce RTX 4090", "geforce 4090 24gb", "rtx-4090-24g",
                      "rtx 4090 graphics card"],
    "RTX-4090-D-24GB": ["rtx 4090d", "RTX 4090 D"],
    "RTX-5090-32GB": ["rtx 5090", "5090", "GeForce RTX 5090 32GB"],
    "RTX-3090-24GB": ["rtx3090", "3090", "nvidia 3090 24 gb"],
    "RTX-3090-Ti-24GB": ["3090ti", "rtx 3090 ti"],
    "RTX-4070-Ti-SUPER-16GB": ["4070 ti super", "RTX 4070Ti Super"],
    "RTX-4080-16GB": ["rtx 4080", "4080 16gb"],
    "RTX-2080-Ti-11GB": ["2080ti", "RTX 2080 Ti"],
    "RTX-A6000-48GB": ["a6000", "RTX A6000", "nvidia rtx a6000 48gb"],
    "RTX-6000-Ada-48GB": ["rtx 6000 ada", "RTX 6000 Ada Generation", "6000 ada"],
    "RTX-PRO-6000-Max-Q-96GB": ["rtx pro 6000 max-q", "RTX PRO 6000 Blackwell Max-Q Workstation Edition"],
    "RTX-PRO-6000-96GB": ["rtx pro 6000", "RTX PRO 6000 Blackwell", "rtx pro 6000 blackwell 96gb", "pro 6000"],
    "L4-24GB": ["l4", "NVIDIA L4 24GB", "L4 tensor core gpu"],
    "L40-48GB": ["l40", "nvidia l40 48gb"],
    "L40S-48GB": ["l40s", "L40S 48 GB", "NVIDIA L40S GPU"],
    "T4-16GB": ["t4", "Tesla T4", "nvidia t4 16gb"],
    "A10-24GB": ["a10", "NVIDIA A10 24GB"],
    "A10G-24GB": ["a10g", "A10G 24 GB"],
    "A40-48GB": ["a40", "nvidia a40 48g"],
    "P100-PCIe-16GB": ["p100", "tesla p100 16gb"],
    "H20-96GB": ["h20", "H20 96GB"],
    "MI300X-192GB": ["mi300x", "AMD MI300X", "amd instinct mi300x 192gb", "MI 300X", "mi300"],
    "MI300A-128GB": ["mi300a", "AMD Instinct MI300A"],
    "MI325X-256GB": ["mi325x", "amd mi325x 256 gb"],
    "MI355X-288GB": ["mi355x", "AMD Instinct MI355X"],
    "MI250X-128GB": ["mi250x", "MI250X 128GB"],
    "RX-7900-XTX-24GB": ["7900 xtx", "amd radeon rx 7900 xtx", "RX7900XTX"],
    "Gaudi3-128GB": ["gaudi 3", "Intel Gaudi3", "habana gaudi 3 128gb"],
    "Gaudi2-96GB": ["gaudi2", "Gaudi 2 96GB"],
    "Arc-B580-12GB": ["arc b580", "Intel Arc B580"],
    "TPU-v5e": ["tpu v5e", "TPUv5e", "google cloud tpu v5e", "v5litepod"],
    "TPU-v5p": ["tpu v5p", "TPU-v5p"],
    "TPU-v6e": ["tpu v6e", "trillium", "TPU Trillium"],
    "TPU-v7": ["ironwood", "tpu7x"],
    "Trainium2-96GB": ["trainium 2", "trn2", "AWS Trainium2"],
    "Inferentia2-32GB": ["inferentia2", "inf2"],
    "Apple-M3-Ultra-512GB": ["m3 ultra", "Apple M3 Ultra", "Mac Studio M3 Ultra 512GB"],
    "Apple-M4-Max-128GB": ["m4 max", "M4 Max 128 GB"],
    "Apple-M2-Ultra-192GB": ["m2 ultra", "apple m2 ultra 192gb"],
    "DGX-Spark-GB10-128GB": ["dgx spark", "GB10", "nvidia dgx spark 128gb"],
    "Ryzen-AI-Max-395-128GB": ["strix halo", "Ryzen AI Max+ 395"],
    "Jetson-AGX-Orin-64GB": ["jetson agx orin", "AGX Orin 64GB"],
    "Ascend-910B-64GB": ["ascend 910b", "Huawei Ascend 910B"],
}  # fmt: skip
MODELS = {
    "Llama-3.3-70B": ["llama 70b", "Llama 3.3 70B", "llama-3.3-70b-instruct",
        "meta-llama/Llama-3.3-70B-Instruct", "llama3.3 70b",
                      "Llama 70B Instruct", "70b llama 3.3", "llama 3.3"],
    "Llama-3.1-8B": ["llama3.1-8b", "meta-llama/Llama-3.1-8B", "Meta Llama 3.1 8B Instruct", "llama 8b",
        "llama-v3p1-8b-instruct",
                     "llama3.1-8b-instruct"],
    "Llama-3-70B": ["llama 3 70b", "Meta-Llama-3-70B-Instruct"],
    "Llama-3.1-405B": ["llama 405b", "llama 3.1 405b", "Llama-3.1-405B-Instruct-FP8"],
    "Llama-3.2-3B": ["llama 3b", "llama 3.2 3b"],
    "Llama-4-Scout-17B-16E": ["llama 4 scout", "llama-4-scout-17b-16e-instruct"],
    "Llama-4-Maverick-17B-128E": ["llama 4 maverick"],
    "Llama-2-70B": ["llama 2 70b", "llama2-70b-chat", "Llama-2-70b-chat-hf"],
    "Qwen3-32B": ["qwen 32b", "qwen3 32b", "Qwen/Qwen3-32B", "qwen-3-32b"],
    "Qwen2.5-7B": ["qwen 2.5 7b", "qwen2.5-7b-instruct", "Qwen/Qwen2.5-7B-Instruct", "qwen 7b"],
    "Qwen2.5-72B": ["qwen 72b", "qwen2.5 72b"],
    "Qwen3-8B": ["qwen 8b", "qwen3-8b"],
    "Qwen3-30B-A3B": ["qwen3 30b a3b", "qwen3 30b", "qwen3-30b-a3b-fp8"],
    "Qwen3-235B-A22B": ["qwen3 235b", "qwen 235b", "Qwen3-235B-A22B"],
    "Qwen3-Coder-480B-A35B": ["qwen3 coder 480b"],
    "DeepSeek-R1": ["deepseek r1", "DeepSeek-R1 671B", "deepseek-ai/DeepSeek-R1"],
    "DeepSeek-V3": ["deepseek v3", "deepseek-v3 671b", "DeepSeek 3"],
    "DeepSeek-V3.2": ["deepseek v3.2"],
    "Mixtral-8x7B": ["mixtral", "mixtral 8x7b", "mistralai/Mixtral-8x7B-Instruct-v0.1"],
    "Mixtral-8x22B": ["mixtral 8x22b", "Mixtral 8x22B Instruct"],
    "Mistral-7B-v0.1": ["mistral", "mistral 7b", "Mistral-7B-Instruct-v0.3", "mistral7b"],
    "Mistral-NeMo-12B": ["mistral nemo", "Mistral Nemo 12B"],
    "gpt-oss-120b": ["gpt oss 120b", "gpt-oss-120b", "openai/gpt-oss-120b", "gptoss120b"],
    "gpt-oss-20b": ["gpt oss 20b", "GPT-OSS 20B"],
    "Gemma-3-27B": ["gemma 27b", "gemma 3 27b", "gemma-3-27b-it", "google/gemma-3-27b-it"],
    "Gemma-2-9B": ["gemma 9b", "gemma 2 9b", "gemma2 9b it"],
    "Gemma-3-12B": ["gemma 12b"],
    "Phi-4-14B": ["phi 4", "phi-4", "phi4", "microsoft/phi-4", "phi 4 14b"],
    "Phi-3-mini-3.8B": ["phi 3 mini", "phi-3-mini"],
    "Kimi-K2": ["kimi k2", "moonshotai/Kimi-K2-Instruct", "Kimi K2 1T"],
    "Kimi-K2.5": ["kimi k2.5"],
    "GLM-4.5-Air": ["glm 4.5 air"],
    "MiniMax-M2": ["minimax m2"],
    "BERT-Base": ["bert", "bert base", "bert-base-uncased"],
    "BERT-Large": ["bert large"],
    "ViT-B/16": ["vit", "vit b/16", "ViT-B-16"],
    "ViT-L/16": ["vit l/16"],
    "Whisper-large-v3": ["whisper", "whisper large v3", "openai/whisper-large-v3", "whisper large"],
    "SDXL-base": ["sdxl", "stable diffusion xl"],
    "FLUX.1-dev": ["flux", "flux.1 dev"],
    "ResNet-50": ["resnet50", "resnet 50"],
    "Falcon-40B": ["falcon 40b", "tiiuae/falcon-40b"],
    "Yi-34B": ["yi 34b", "01-ai/Yi-34B"],
    "OPT-1.3B": ["opt 1.3b", "opt-1,3b"],
    "GPT-3-175B": ["gpt 3", "gpt-3 175b"],
    "GPT-J-6B": ["gpt-j", "gptj 6b"],
    "Command-R+-104B": ["command r+", "command r plus"],
    "Codestral-22B": ["codestral", "codestral 22b"],
    "Grok-1": ["grok 1", "grok-1 314b"],
    "DBRX": ["dbrx", "DBRX-instruct"],
}  # fmt: skip
PLACES = {
    "GB": ["UK", "uk", "U.K.", "GB", "Great Britain", "England", "the UK", "London, UK", "uksouth"],
    "US": ["USA", "us", "U.S.A.", "America", "United States", "the united states"],
    "US-CA": ["California", "San Francisco, CA, USA"], "US-TX": ["Texas", "Austin, Texas", "Austin, TX, USA"],
    "AT": ["Österreich"], "US-GA": ["Georgia, USA", "Atlanta, Georgia, United States"],
    "US-VA": ["Virginia", "Ashburn, Virginia", "us-east-1"],
    "EU": ["europe", "EU", "Europe", "european union", "the EU"],
    "DE": ["Germany", "Deutschland", "de", "Bavaria, Germany", "Frankfurt", "Berlin, Germany"],
    "NL": ["Netherlands", "Holland", "the Netherlands", "Amsterdam", "westeurope"], "FR": ["France", "paris"],
    "SE": ["Sweden", "Sverige", "stockholm"], "NO": ["norway", "Norge", "Oslo, Norway"], "IE": ["Ireland", "Dublin"],
    "CH": ["switzerland", "Schweiz", "Zürich"], "JP": ["japan", "Tokyo"], "KR": ["south korea", "Korea", "Seoul"],
    "IN": ["India", "Mumbai"], "CA-QC": ["quebec", "Montréal, Canada", "Quebec, Canada"], "AE": ["UAE", "Dubai"],
}  # fmt: skip
NO_CHIP = [
    "h1000", "rtx 9090", "rtx 4090 laptop", "rtx 4090 super", "4090 16gb", "h100 200gb", "a100 160gb",
    "a100 sxm5", "h100 sxm4",
    "mi999", "tpu v5", "tpu v9", "rtx pro 5000 max-q", "h100 h200", "8x h100", "nvidia", "gpu", "80gb", "sxm",
    "100", "", "m3 ultra 64gb",
    "7900 xt", "l40x", "titan v", "gtx 1080", "b2000",
]  # fmt: skip
NO_MODEL = [
    "llama 71b", "llama 3.3 8b", "llama 3.3 71b", "gpt-9", "gpt-4o", "qwen 33b", "mixtral 8x9b",
    "deepseek r9", "deepseek", "glm", "grok",
    "mistral 8b", "70b", "8b", "gemma 28b", "llama", "qwen", "phi 9", "kimi k9", "bert huge", "vit x/99", "",
    "claude opus", "qwen3",
    "qwen3 coder", "mistral 7b turbo plus",
]  # fmt: skip
NO_PLACE = ["Nowhereland", "Mars", "Europa", "United", "xx", ""]


@each_row(("typed", "key"), [(one, key) for key, every in CHIPS.items() for one in every])
def test_an_accelerator_is_read_as_people_write_it(real: Catalogue, typed: str, key: str) -> None:
    assert meant.accelerator(real, typed).key == key


@each_row(("typed", "key"), [(one, key) for key, every in MODELS.items() for one in every])
def test_a_model_is_read_as_people_write_it(real: Catalogue, typed: str, key: str) -> None:
    assert model_meant(real, typed).key == key


@each_row(("typed", "key"), [(one, key) for key, every in PLACES.items() for one in every])
def test_a_place_is_read_as_people_write_it(real: Catalogue, typed: str, key: str) -> None:
    assert names.site(real, typed) == key


@each_row("typed", NO_CHIP)
def test_no_other_accelerator_stands_for_an_unknown_one(real: Catalogue, typed: str) -> None:
    with pytest.raises(NameLookupError):
        meant.accelerator(real, typed)


@each_row("typed", NO_MODEL)
def test_no_other_model_stands_for_an_unknown_one(real: Catalogue, typed: str) -> None:
    with pytest.raises(UnknownNameError):
        model_meant(real, typed)


@each_row("typed", NO_PLACE)
def test_no_other_place_stands_for_an_unknown_one(real: Catalogue, typed: str) -> None:
    with pytest.raises(NameLookupError):
        names.site(real, typed)


def test_a_name_of_several_says_which_is_taken_why_and_how_to_write_the_others(real: Catalogue) -> None:
    assert meant.accelerator(real, "h100").note == (
        "'h100' is taken for H100 SXM5 80 GB: most H100s for rent and for sale are of this form. "
        "For another, write H100-PCIe-80GB, H100-NVL-94GB or GH200-96GB."
    )
    assert model_meant(real, "llama 70b").note == (
        "'llama 70b' is taken for Llama 3.3 70B: it is the newest Llama of 70B. "
        "For another, write Llama-2-70B, Llama-3-70B or Llama-3.1-70B."
    )
    assert model_meant(real, "llama 405b").note == "'llama 405b' is taken for Llama 3.1 405B."
    for plain in ("rtx 4090", "h100 pcie", "a100 40gb pcie", "h100 sxm"):
        assert meant.accelerator(real, plain).note == ""


def test_a_name_without_spaces_may_be_one_of_two(real: Catalogue) -> None:
    assert model_meant(real, "llama38b").key == "Llama-3-8B"
    with pytest.raises(UnknownNameError) as several:
        model_meant(real, "gemma31b")
    assert set(several.value.candidates) == {"Gemma-3-1B", "Gemma-4-31B"}


def test_a_point_is_no_hyphen(real: Catalogue) -> None:
    with pytest.raises(UnknownNameError) as several:
        model_meant(real, "Qwen2.57B")
    assert set(several.value.candidates) == {"Qwen2.5-7B", "Qwen2-57B-A14B"}


def test_a_family_without_a_usual_model_comes_back_with_its_choices(real: Catalogue) -> None:
    with pytest.raises(UnknownNameError, match="it can be Grok-1 or Grok-2") as several:
        model_meant(real, "grok")
    assert several.value.candidates == ("Grok-1", "Grok-2")


def test_price_lists_never_take_the_usual_one(real: Catalogue) -> None:
    with pytest.raises(AmbiguousNameError):
        names.accelerator(real, "h100")
    assert len(meant.offered_accelerators(real, "h100")) > 4


def test_each_usual_name_has_one_owner_and_is_no_name_of_another(real: Catalogue) -> None:
    for records, read in ((real.accelerators, meant.chip_words), (real.models, meant.model_words)):
        owners = [(read(name), key) for key, record in records.items() if record.usual for name in record.usual.names]
        assert len({words for words, _ in owners}) == len(owners) > 10
        for words, key in owners:
            named = {
                other
                for other, one in records.items()
                for name in (other, one.label, *one.aliases)
                if read(name) == words
            }
            assert named <= {key}
    for key, one in real.accelerators.items():
        for name in one.usual.names if one.usual else ():
            wide = real.ambiguous.get(name.replace(" ", "-"))
            assert wide is None or key in wide.candidates


def respelled(name: str, luck: random.Random, maker: str) -> str:
    """The same name with other case, other separators or none, and perhaps its maker before it."""
    typed = re.sub(r"[ -]", lambda _: luck.choice(["-", " ", "_", ""]), name)
    typed = luck.choice([str.upper, str.lower, str.title, str])(typed)
    return luck.choice(["", f"{maker} "]) + typed


@pytest.mark.parametrize("spellings", [2, pytest.param(20, marks=pytest.mark.slow)])
@pytest.mark.parametrize("section", ["accelerators", "models"])
def test_no_spelling_of_a_name_leads_to_another_record(real: Catalogue, section: str, spellings: int) -> None:
    luck = random.Random(20261121)
    read = meant.accelerator if section == "accelerators" else model_meant
    for key, record in getattr(real, section).items():
        for _ in range(spellings):
            name = luck.choice([key, record.label])
            typed = respelled(name, luck, getattr(record, "vendor", ""))
            try:
                assert read(real, typed).key == key, (typed, name)
            except NameLookupError as error:
                assert key in error.candidates, (typed, str(error))
