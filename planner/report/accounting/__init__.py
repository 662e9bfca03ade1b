"""What a controller asks, in words and tables: leases, profit and loss, fiscal periods, actuals."""
