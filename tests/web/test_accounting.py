"""The box of a controller: statements, leases, rates, and bills beside the plan."""

import json

import pytest
from streamlit.testing.v1 import AppTest

from tests.web.test_questions import visit


@pytest.mark.slow
def test_a_controller_finds_profit_and_loss_leases_and_fiscal_years_folded() -> None:
    app = visit(sellat="2.1", sellshare="70", fiscal="4", reslease="true", equity="60", hurdle="11")
    assert len([one for one in app.expander if one.label.startswith("Accounting: ")]) == 1
    app.session_state["accounting"] = True
    app.run()
    assert not app.exception
    titles = app.selectbox(key="booked").options
    app.selectbox(key="booked").select_index(next(n for n, name in enumerate(titles) if "Reserve" in name)).run()
    app.toggle(key="quarters").set_value(True).run()
    assert not app.exception
    assert any("Reservations are taken as leases" in one.value for one in app.markdown)
    assert any("Discount rate (WACC)" in list(table.value.get("Part", ())) for table in app.dataframe)
    assert any("Clears it" in table.value.columns for table in app.dataframe)
    assert any("FY 2028 Q1" in table.value.columns for table in app.dataframe)
    app.selectbox(key="booked").select_index(next(n for n, name in enumerate(titles) if "Buy" in name)).run()
    assert any("nothing is lost" in one.value for one in app.markdown)


def test_a_bill_is_set_beside_the_plan() -> None:
    app = visit()
    app.session_state["accounting"] = True
    app.run()
    head = "BilledCost,BillingCurrency,ChargeCategory,ChargePeriodStart,PricingQuantity,PricingUnit,ServiceCategory"
    day = asof(app)
    bill = f"{head}\n900,USD,Usage,{day}T00:00:00Z,10,Hours,Compute\n"
    app.file_uploader(key="actuals_file").upload("bill.csv", bill.encode()).run()
    assert not app.exception
    assert any("By price, USD" in table.value.columns for table in app.dataframe)
    app.file_uploader(key="actuals_file").upload("other.csv", b"a,b\n1,2\n").run()
    assert "no column BilledCost" in app.error[0].value


def asof(app: AppTest) -> str:
    """The day of the plan on the screen."""
    (day,) = app.query_params["asof"] if isinstance(app.query_params["asof"], list) else [app.query_params["asof"]]
    return day


def test_tables_are_in_the_currency_of_the_plan() -> None:
    dollars, euros = visit(), visit(currency="EUR")
    (usd,), (eur,) = (
        [table.value for table in app.dataframe if "Option" in table.value.columns][:1] for app in (dollars, euros)
    )
    assert list(eur.columns) == [name.replace("USD", "EUR") for name in usd.columns]
    assert eur["Total cash, EUR"].tolist() == pytest.approx((usd["Total cash, USD"] / 1.1172).tolist())
    config = json.loads(euros.dataframe[0].proto.columns)
    assert "$" not in json.dumps({name: column for name, column in config.items() if "EUR" in name})
    assert config["Total cash, EUR"]["type_config"]["format"].startswith("€")
    assert not visit(currency="XYZ").exception
