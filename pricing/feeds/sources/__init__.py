"""One file for each source of live prices. Each ends with its record, `FEED`; nothing lists them besides."""
