// Streamlit says of the place where a file is dropped that it means nothing (role "presentation"), and gives it a name
// all the same. A screen reader then either leaves out the name or reads a place that should not be there. It is a
// group with that name: the button inside opens the file.
(() => {
  const wrong = '[data-testid="stFileUploaderDropzone"][role="presentation"]';
  const mend = () => document.querySelectorAll(wrong).forEach((zone) => zone.setAttribute("role", "group"));
  new MutationObserver(mend).observe(document, {
    attributeFilter: ["role"], attributes: true, childList: true, subtree: true,
  });
})();
