"""The work: what goes with it where nobody says."""

import pytest

from planner.scenario.task import TrainingTask
from planner.scenario.work import Work


@pytest.mark.parametrize(
    ("accelerators", "disk_tb", "traffic_tb"), [(1, 1.25, 0.125), (4, 5.0, 0.5), (8, 10.0, 1.0), (64, 10.0, 1.0)]
)
def test_one_gpu_keeps_less_data_than_a_machine_of_eight(accelerators: int, disk_tb: float, traffic_tb: float) -> None:
    work = Work(accelerators=accelerators)
    assert (work.effective_storage_tb, work.effective_egress_tb_per_month) == (disk_tb, traffic_tb)


def test_what_is_said_wins() -> None:
    work = Work(accelerators=1, storage_tb=0.0, egress_tb_per_month=7.0)
    assert (work.effective_storage_tb, work.effective_egress_tb_per_month) == (0.0, 7.0)


def test_a_model_brings_the_same_data_on_any_number_of_gpus() -> None:
    task = TrainingTask(model="llama-3-8b")
    assert {Work(accelerators=many, train=task).effective_storage_tb for many in (1, 2, 8, 32)} == {10.0}
