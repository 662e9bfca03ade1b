"""The server of the app: its settings, its start, and what it sends around Streamlit's own answers."""
