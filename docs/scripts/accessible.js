// Make what Material for MkDocs adds in the browser accessible to screen readers and keyboards (rules of axe-core).
new MutationObserver(() => {
  for (const buttons of document.querySelectorAll("nav.md-code__nav:not([role])")) buttons.setAttribute("role", "presentation");
  for (const table of document.querySelectorAll(".md-typeset__scrollwrap:not([tabindex])")) table.tabIndex = 0;
}).observe(document.body, { childList: true, subtree: true });
