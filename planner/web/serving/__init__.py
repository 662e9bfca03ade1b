"""Servers of the app: one process, or several behind one connection router."""
