"""What a controller asks of a ledger: leases in the books, fiscal years, actuals beside the plan."""
