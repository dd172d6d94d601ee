// What Material for MkDocs makes in the browser, for screen readers and keyboards (axe-core).
new MutationObserver(() => {
  for (const buttons of document.querySelectorAll("nav.md-code__nav:not([role])")) buttons.setAttribute("role", "presentation");
  for (const table of document.querySelectorAll(".md-typeset__scrollwrap:not([tabindex])")) table.tabIndex = 0;
}).observe(document.body, { childList: true, subtree: true });
