"""How the app is served: by one process, or by several behind one door."""
