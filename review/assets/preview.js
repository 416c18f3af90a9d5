// Highlights a question and its boxes together, and steps through questions with j and k. Nothing depends on it.
(function () {
  "use strict";
  var hot = null;
  var only = document.getElementById("only");
  document.documentElement.classList.add("js");
  function owner(node) {
    var found = node && node.closest ? node.closest("[data-q]") : null;
    return found ? found.getAttribute("data-q") : null;
  }
  function light(q) {
    if (q === hot) return;
    document.querySelectorAll(".hot").forEach(function (n) { n.classList.remove("hot"); });
    hot = q;
    if (q === null) return;
    document.querySelectorAll('[data-q="' + q + '"]').forEach(function (n) { n.classList.add("hot"); });
  }
  function show(q, node) {
    if (!node) return;
    if (only && !node.getClientRects().length) only.checked = false; // the filter hides it
    node.scrollIntoView({ block: node.classList.contains("question") ? "start" : "nearest" });
    var focus = node.matches("a") ? node : node.querySelector("a.number");
    if (focus) focus.focus({ preventScroll: true });
    light(q);
  }
  document.addEventListener("mouseover", function (e) { light(owner(e.target)); });
  document.addEventListener("focusin", function (e) { light(owner(e.target)); });
  document.addEventListener("click", function (e) {
    var link = e.target.closest ? e.target.closest("a[href^='#']") : null;
    if (!link || e.ctrlKey || e.metaKey || e.shiftKey) return;
    var target = document.getElementById(link.getAttribute("href").slice(1));
    if (!target || !target.hasAttribute("data-q")) return;
    e.preventDefault();
    history.replaceState(null, "", link.getAttribute("href"));
    show(target.getAttribute("data-q"), target);
  });
  document.addEventListener("keydown", function (e) {
    if (e.ctrlKey || e.metaKey || e.altKey || (e.key !== "j" && e.key !== "k")) return;
    var all = Array.prototype.filter.call(document.querySelectorAll(".question"), function (n) {
      return n.getClientRects().length > 0;
    });
    var at = all.findIndex(function (n) { return n.getAttribute("data-q") === hot; });
    var next = all[e.key === "j" ? at + 1 : Math.max(0, at - 1)];
    if (next) show(next.getAttribute("data-q"), next);
  });
})();
