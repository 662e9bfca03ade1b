// What a phrase opens stands at the end of the page, where the Tab key comes last; so does the list of pages on a narrow
// screen stand before the button that opens it. The keyboard goes into what it opened, and back where it came from.
(() => {
  const TRIGGER = '[data-testid="stPopoverButton"][aria-expanded="true"]';
  const OPENS = '[data-testid="stExpandSidebarButton"]';
  const STOPS = 'a[href], button:enabled, input:enabled, textarea:enabled, summary, [tabindex="0"]';
  const first = (which) => document.querySelector(which);
  const box = () => [...document.querySelectorAll('[data-testid="stPopoverBody"]')].at(-1);
  const stops = (part) => [...part.querySelectorAll(STOPS)].filter((one) => one.tabIndex >= 0 && one.checkVisibility());
  const group = (one) => one?.closest('[role="radiogroup"]') ?? one; // the Tab key stops once in a group of choices
  let entered, wasOpen = false;
  const follow = () => {
    const there = box(), at = document.activeElement;
    if (there && there !== entered && at?.matches(`${TRIGGER}:focus-visible`)) {
      const all = stops(there); // none yet where the server still makes what stands inside
      const stop = all.find((one) => !one.closest('[data-testid="stTooltipIcon"]')) ?? all[0];
      if (stop) entered = there;
      stop?.focus();
    }
    const pages = first('[data-testid="stSidebar"]'), isOpen = !!pages && pages.dataset.collapsed !== "true";
    if (isOpen !== wasOpen && (at === document.body || at?.closest(`[data-testid="stSidebar"], ${OPENS}`))) {
      first(isOpen ? '[data-testid="stSidebarNavLink"]' : OPENS)?.focus();
    }
    wasOpen = isOpen;
  };
  new MutationObserver(follow).observe(document, {
    attributeFilter: ["aria-expanded", "data-collapsed"], childList: true, subtree: true,
  });
  addEventListener("keydown", (event) => {
    const there = box(), trigger = first(TRIGGER);
    if (event.key !== "Tab" || !there?.contains(document.activeElement) || !trigger) return;
    const edge = stops(there).at(event.shiftKey ? 0 : -1);
    if (group(edge) !== group(document.activeElement)) return;
    event.preventDefault();
    trigger.focus();
    trigger.click(); // one who leaves a phrase closes it
  }, true);
})();
