// What Streamlit's own parts say wrongly to a screen reader, or keep from a keyboard: mended when they are drawn.
(() => {
  const each = (which, mend) => document.querySelectorAll(which).forEach(mend);
  const say = (part, role, name) => {
    part.setAttribute("role", role);
    part.setAttribute("aria-label", name);
  };
  const mend = () => {
    // A place to drop a file is said to mean nothing, and has a name all the same. It is a group of that name.
    each('[data-testid="stFileUploaderDropzone"][role="presentation"]', (zone) => zone.setAttribute("role", "group"));
    // The open list of a field stands beside the page, in no part of it that has a name.
    each('[data-testid$="Dropdown"]:not([role])', (list) => say(list, "region", "List"));
    // So does help.
    each('[data-floating-ui-portal]:has([role="tooltip"]):not([role])', (part) => say(part, "region", "Help"));
    // A table that is wider than its place can be pushed aside with the arrow keys.
    each('[data-testid="stTable"] > div', (table) => {
      if (table.scrollWidth <= table.clientWidth) table.removeAttribute("tabindex");
      else if (table.tabIndex < 0) {
        say(table, "group", "A wide table: arrow keys show the rest");
        table.tabIndex = 0;
      }
    });
  };
  // A box unfolds at once for those who ask that nothing moves.
  const still = matchMedia("(prefers-reduced-motion: reduce)"), animate = Element.prototype.animate;
  Element.prototype.animate = function (frames, timing) {
    return animate.call(this, frames, still.matches ? { duration: 0 } : timing);
  };
  let waiting = false;
  const soon = () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => { waiting = false; mend(); });
  };
  new MutationObserver(soon).observe(document, { attributeFilter: ["role"], childList: true, subtree: true });
  addEventListener("resize", soon);
  // A chart is drawn for the width of the screen. On paper it is a picture that becomes as wide as the sheet.
  const charts = ".js-plotly-plot .main-svg";
  addEventListener("beforeprint", () => each(charts, (chart) => {
    chart.setAttribute("viewBox", `0 0 ${chart.getAttribute("width")} ${chart.getAttribute("height")}`);
  }));
  addEventListener("afterprint", () => each(charts, (chart) => chart.removeAttribute("viewBox")));
})();
