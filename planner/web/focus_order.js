// What a phrase opens stands at the end of the page, where the Tab key comes last; so does the list of pages on a narrow
// screen stand before the button that opens it. The keyboard goes into what it opened, and back where it came from.
(() => {
  const TRIGGER = '[data-testid="stPopoverButton"][aria-expanded="true"]';
  const STOPS = 'a[href], button:enabled, input:enabled, textarea:enabled, summary, [tabindex="0"]';
  const FIELD = 'input:enabled:not([type="file"]), textarea:enabled, [role="radio"][aria-checked="true"]';
  const LIST = '[data-testid="stSelectbox"] input[aria-expanded="true"]';
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
  // A list drops what is typed or marked in it when Tab is pressed, and takes it on Enter: so Enter comes first.
  let marked;
  addEventListener("input", ({ target }) => { marked = target.value ? target : undefined; }, true);
  addEventListener("keydown", ({ key, target }) => {
    if (key === "ArrowDown" || key === "ArrowUp") marked = target;
    if (key === "Tab" && marked === target && target.matches(LIST)) {
      target.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true }));
    }
    if (key === "Tab" || key === "Enter" || key === "Escape") marked = undefined;
  }, true);
  addEventListener("keydown", (event) => { // one who leaves a phrase closes it
    given = undefined;
    const [there, trigger, at] = [box(), first(TRIGGER), document.activeElement];
    if (!there?.contains(at) || !trigger) return;
    // A field keeps what was typed when it loses the keyboard, and only if it is still there then: it loses it first.
    if (event.key === "Escape" && at.getAttribute("aria-expanded") !== "true") at.blur();
    if (event.key !== "Tab") return;
    const edge = stops(there).at(event.shiftKey ? 0 : -1) ?? there;
    if (group(edge) !== group(at) && !(event.shiftKey && at === there)) return;
    event.preventDefault();
    entered = there; // also where a mouse opened it: the keyboard is on its way out
    setTimeout(() => { // after the field has heard of the key
      trigger.focus();
      setTimeout(() => trigger.click());
    });
  }, true);
})();
