// What a phrase opens stands at the end of the page, where the Tab key comes last; so does the list of pages on a narrow
// screen stand before the button that opens it. The keyboard goes into what it opened, and back where it came from.
(() => {
  const TRIGGER = '[data-testid="stPopoverButton"][aria-expanded="true"]';
  const STOPS = 'a[href], button:enabled, input:enabled, textarea:enabled, summary, [tabindex="0"]';
  const FIELD = 'input:enabled:not([type="file"]), textarea:enabled, [role="radio"][aria-checked="true"]';
  const [PAGES, PAGE, OPENS] = ["stSidebar", "stSidebarNavLink", "stExpandSidebarButton"].map((id) => `[data-testid="${id}"]`);
  const first = (which) => document.querySelector(which);
  const box = () => [...document.querySelectorAll('[data-testid="stPopoverBody"]')].at(-1);
  const stops = (part) => [...part.querySelectorAll(STOPS)].filter((one) => one.tabIndex >= 0 && one.checkVisibility());
  const group = (one) => one?.closest('[role="radiogroup"]') ?? one; // the Tab key stops once in a group of choices
  let entered, given, wasOpen = false;
  const follow = () => {
    const there = box(), at = document.activeElement;
    if (there && there !== entered && at?.matches(`${TRIGGER}:focus-visible`)) {
      entered = there;
      there.tabIndex = -1;
      there.focus();
      for (const ms of [50, 200, 600]) setTimeout(follow, ms); // until it stands where it is seen
    } // what stands inside comes bit by bit, and not always the first field first
    if (there && [there, given].includes(document.activeElement)) {
      given = there.querySelector(FIELD) ?? there.querySelector('[role="radio"]');
      given?.focus();
    }
    const pages = first(PAGES), isOpen = !!pages && pages.dataset.collapsed !== "true";
    const goal = first(isOpen ? PAGE : OPENS);
    if (isOpen === wasOpen || !goal) return;
    wasOpen = isOpen;
    if (at === document.body || at?.closest(`${PAGES}, ${OPENS}`)) goal.focus();
  };
  new MutationObserver(follow).observe(document, {
    attributeFilter: ["aria-checked", "aria-expanded", "data-collapsed"], childList: true, subtree: true,
  });
  addEventListener("click", (event) => { // the list of pages folds away when one is chosen: it would cover the page
    if (event.target.closest?.(PAGE)) setTimeout(() => first(`${PAGES} [aria-label="Collapse sidebar"]`)?.click());
  });
  addEventListener("keydown", (event) => { // one who leaves a phrase closes it
    given = undefined;
    const there = box(), trigger = first(TRIGGER);
    if (event.key !== "Tab" || !there?.contains(document.activeElement) || !trigger) return;
    const [at, edge] = [document.activeElement, stops(there).at(event.shiftKey ? 0 : -1) ?? there];
    if (group(edge) !== group(at) && !(event.shiftKey && at === there)) return;
    event.preventDefault();
    trigger.focus();
    trigger.click();
  }, true);
})();
