"""Names of bars: they have the room that a phone leaves them."""

from planner.report.speed.speed_charts import memory_stacks
from planner.report.speed.speed_tables import StackedBar

LONG = "76.5 GB, fits, as fast; 0.562 GB more than it is: gradients 0.141 GB"
WIDEST = 52  # letters of 6.5 px on the 340 px of a phone


def test_what_is_said_of_a_bar_has_room_on_a_phone() -> None:
    ways = [StackedBar("As it is", "76 GB, fits", (1.0,)), StackedBar("Nothing sharded", LONG, (1.0,))]
    notes = memory_stacks(ways, ["weights"], [80.0, 80.0], False).to_dict()["layout"]["annotations"]
    short, wrapped = (str(note["text"]) for note in notes[:2])
    assert short == "<b>As it is</b>  76 GB, fits"
    first, second = wrapped.split("<br>")
    assert first == "<b>Nothing sharded</b>"
    assert second.startswith("76.5 GB, fits, as fast")
    assert len(second) <= WIDEST
