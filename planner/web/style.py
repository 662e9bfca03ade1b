"""The few rules of the page that Streamlit has no word for. Constant text: nothing that a person typed gets here."""

import streamlit as st

is_in_page = False  # whether the server writes the rules into the page: nothing moves then while it loads

# The strip stays below the bar of the pages; its phrases look like words that can be changed. On a phone the sentence
# is one line that is pushed aside by a finger, so that the verdict below it stays in sight.
_BACK, _LINE, _ACCENT = (
    f"light-dark({st.get_option(f'theme.light.{name}')}, {st.get_option(f'theme.dark.{name}')})"
    for name in ("backgroundColor", "borderColor", "primaryColor")
)
_STRIP = f"""
[data-testid="stMainBlockContainer"] {{ max-width: none; padding-top: 4.25rem; }}
@media (min-width: 576px) {{ [data-testid="stMainBlockContainer"] {{ padding-left: 5rem; padding-right: 5rem; }} }}
[data-testid="stLayoutWrapper"]:has(> .st-key-strip) {{
  position: sticky; top: 3.75rem; z-index: 99; background: {_BACK};
  border-bottom: 1px solid {_LINE}; padding-bottom: 0.35rem;
}}
.st-key-strip {{ gap: 0.25rem; min-height: 4.25rem; }}  /* the last edit moves nothing below */
.st-key-sentence {{ gap: 0.35rem 0.3rem; }}
.st-key-sentence [data-testid="stPopoverButton"] {{
  border: 0; border-bottom: 2px dotted {_ACCENT}; border-radius: 0; background: none;
  min-height: 1.8rem; padding: 0 0.1rem;
}}
.st-key-plan-name {{ margin-left: auto; }}
.st-key-assumptions {{ min-width: 9.7rem; }}  /* parts that load late have their place */
.st-key-undo, .st-key-redo {{ min-width: 1.5rem; }}
.st-key-undo p, .st-key-redo p {{
  position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%);
}}
.st-key-pin-plan {{ min-width: 2.7rem; }}
[class*="st-key-tiles"] [data-testid="stElementContainer"] {{ min-height: 8.4rem; }}  /* a card loads late */
.st-key-ranges {{ min-height: 12rem; }}
[data-testid="stMultiSelectTagsContainer"] span:has(> span[title]) * {{ color: {_BACK}; }}  /* on the accent */
[data-testid="stElementContainer"]:has(> .chart-files) {{ position: relative; }}
.chart-files {{ position: absolute; right: 0; bottom: 0; display: flex; gap: 0.25rem; }}
.chart-files button {{
  min-width: 2.4rem; min-height: 24px; border: 1px solid {_LINE}; border-radius: 0.35rem; background: {_BACK};
  color: inherit; font: inherit; font-size: 0.75rem; cursor: pointer;
}}
@media (hover: hover) {{
  [data-testid="stElementContainer"]:not(:hover, :focus-within) > .chart-files {{ opacity: 0; }}
}}
.chart-files button:focus-visible {{ outline: 2px solid {_ACCENT}; outline-offset: 1px; }}
[data-testid="stLayoutWrapper"]:has(> .st-key-chart-credit) {{ display: none; }}
.st-key-offer-table {{ min-height: 25rem; }}
.st-key-compare-head {{ min-height: 6.6rem; }}
[class*="st-key-inputs-"] {{ min-height: 25rem; }}
.st-key-figures {{ min-height: 2.5rem; }}
[data-testid="stHeading"] h1 {{ padding-top: 0.25rem; }}
[data-testid="stLayoutWrapper"]:has(> .st-key-phone-pages, > .st-key-offer-cards) {{ display: none; }}
@media (max-width: 640px) {{
  [data-testid="stLayoutWrapper"]:has(> .st-key-strip) {{ position: static; }}  /* it would fill the screen */
  [data-testid="stLayoutWrapper"]:has(> .st-key-phone-pages, > .st-key-offer-cards) {{ display: flex; }}
  [data-testid="stLayoutWrapper"]:has(> .st-key-offer-table) {{ display: none; }}
  .st-key-phone-pages {{ gap: 0.75rem 0.25rem; }}
  .st-key-phone-pages a {{ padding: 0 3px; }}  /* six stand in one row from 375 pixels on */
  [data-testid="stLayoutWrapper"]:has(> .st-key-phone-pages) {{ min-height: 1.6rem; }}
  .st-key-compare-head {{ min-height: 17.2rem; }}
  [data-testid="stLayoutWrapper"]:has(> .st-key-compare-head) {{ min-height: 17.2rem; }}
  .st-key-strip {{ min-height: 10.2rem; }}
  .st-key-verdict-line:has(strong) {{ min-height: 6.4rem; }}
  [class*="st-key-tiles"] {{ min-height: 17.7rem; }}
  .st-key-plan-name {{ margin-left: 0; }}
}}
"""
# What one presses is at least 24 pixels high and wide, for fingers and for hands that shake (WCAG 2.2, 2.5.8).
_PRESSED = """
[data-testid="stTooltipIcon"] button:not([kind]) { min-width: 24px; min-height: 24px; justify-content: center; }
[data-testid="stCheckbox"] label { min-height: 24px; }
[data-testid="stPopoverButton"], [aria-label^="Scroll tabs"], [data-testid="stDialog"] [aria-label="Close"] {
  min-width: 24px; min-height: 24px;
}
[data-testid="stMultiSelect"] button { min-height: 24px; }
[data-testid="stNumberInputClearButton"], [data-testid="stFileChips"] button { min-width: 24px; min-height: 24px; }
"""
# A label that has no room goes on in the next line, where Streamlit would end it with dots.
_UNCUT = """
:is([data-testid="stMetric"], [data-testid="stCheckbox"], [data-testid="stPopoverButton"]:not(.st-key-sentence *))
  [data-testid="stMarkdownContainer"] {
  white-space: normal; overflow: visible; text-overflow: clip; overflow-wrap: break-word;
}
.st-key-pin-names [data-testid="stPopoverButton"] { height: auto; min-height: 1.9rem; text-align: left; }
.st-key-pin-names [data-testid="stPopoverButton"] * { white-space: normal; }
"""
# What has the keyboard is seen: it is not under the strip when one goes backwards, and the page itself has a frame.
_REACHED = f"""
[data-testid="stMain"] {{ scroll-padding: 9rem 0 1rem; }}
@media (max-width: 1100px) {{ [data-testid="stMain"] {{ scroll-padding-top: 14rem; }} }}
[data-testid="stElementToolbar"]:focus-within {{ opacity: 1 !important; pointer-events: auto !important; z-index: 9; }}
[data-testid="stSidebar"][data-collapsed="true"] {{ visibility: hidden; }}
[data-testid="stSidebar"], [data-testid="stSidebar"] * {{ transition: none; }}
[data-testid="stMain"]:focus-visible, [data-testid="stPopoverBody"]:focus-visible,
[data-testid="stPageLink"] a:focus-visible {{
  outline: 2px solid {_ACCENT}; outline-offset: -2px;
}}
"""
_QUIET = """
@media (prefers-reduced-motion: reduce) {
  *, *::before, *::after {
    animation-duration: 0.01ms !important; animation-iteration-count: 1 !important; animation-delay: 0s !important;
    transition-duration: 0.01ms !important; transition-delay: 0s !important; scroll-behavior: auto !important;
  }
}
"""


# The sheet lies on its side, as large as the printer's (A4, Letter), and everything takes its width from it. What
# one presses is left out; of tabs and of choices side by side, the one that is open says its name.
_PRINT = """
[data-testid="stMainBlockContainer"] { max-width: 1500px; }
.whole-table { overflow-x: auto; margin-bottom: 1rem; }
.whole-table table { border-collapse: collapse; width: 100%; }
.whole-table th, .whole-table td {
  border-bottom: 1px solid color-mix(in srgb, currentcolor 25%, transparent); padding: 0.2em 0.4em;
  text-align: left; vertical-align: top;
}
.whole-table .number { text-align: right; }
@page { size: landscape; margin: 10mm; }
@media print {
  .stApp, [data-testid="stAppViewContainer"], [data-testid="stMain"], [data-testid="stMainBlockContainer"] {
    position: static !important; height: auto !important; overflow: visible !important;
  }
  [data-testid="stMainBlockContainer"] { padding: 0; max-width: none; }
  [data-testid="stLayoutWrapper"]:has(> .st-key-strip) { position: static; }
  [data-testid="stLayoutWrapper"]:has(> .st-key-chart-credit) { display: flex; }
  .st-key-chart-credit code { display: none; }
  [data-testid="stHeader"], [data-testid="stToolbar"], [data-testid="stTooltipIcon"], [data-testid="stPageLink"],
  .stButton, .stDownloadButton, .chart-files, .st-key-welcome,
  .stCheckbox, .stMultiSelect, [data-testid="stFileUploader"], [data-testid="stToast"],
  [data-testid="stExpander"]:has(> details:not([open])), [data-testid="stElementToolbar"],
  [role="tab"]:not([aria-selected="true"]), [aria-label^="Scroll tabs"],
  [data-testid="stBaseButton-pills"], [data-testid="stBaseButton-segmented_control"],
  [data-testid="stPopover"]:not(.st-key-strip *) { display: none !important; }
  .whole-table, [data-testid="stTable"] > div { overflow: visible !important; }
  .whole-table th, .whole-table td { overflow-wrap: break-word; }
  .whole-table thead { display: table-header-group; }
  [data-testid="stTable"] table { width: 100%; table-layout: auto; }
  [data-testid="stTable"] :is(th, td) { white-space: normal !important; overflow-wrap: anywhere; }
  [data-testid="stElementContainer"]:has(.stPlotlyChart), [data-testid="stFullScreenFrame"]:has(.stPlotlyChart),
  .stPlotlyChart, .js-plotly-plot, .js-plotly-plot .plot-container, .js-plotly-plot .svg-container {
    width: 100% !important; height: auto !important; min-width: 0 !important;
  }
  .js-plotly-plot .main-svg { width: 100% !important; }
  .js-plotly-plot .main-svg:first-child { position: static !important; display: block; }
  .stPlotlyChart, [data-testid="stMetric"], [data-testid="stDataFrame"], tr { break-inside: avoid; }
  h1, h2, h3 { break-after: avoid; }
}
"""


RULES = f"<style>{_STRIP}{_PRESSED}{_UNCUT}{_REACHED}{_QUIET}{_PRINT}</style>"


def put() -> None:
    """Lay the rules over a page that does not hold them from its first picture on: `make app` serves one that does."""
    if not is_in_page:
        st.html(RULES)
