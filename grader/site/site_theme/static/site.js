/* Light or dark, as the reader chose; the contents on a phone; scrolling by keyboard. Everything can be
 * read without. */
(function () {
  "use strict";

  var root = document.documentElement;

  function chosen() {
    try {
      return localStorage.getItem("theme");
    } catch (error) {
      return null; // not allowed here: then it is the system's
    }
  }

  function choose(theme) {
    root.dataset.theme = theme;
    try {
      localStorage.setItem("theme", theme);
    } catch (error) {
      // for this page only
    }
  }

  function isDark() {
    var system = window.matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
    return (root.dataset.theme || system) === "dark";
  }

  /* What is wider than its place scrolls, by keyboard only if it can have the focus. */
  function letScroll() {
    document.querySelectorAll("pre, figure.picture, main table").forEach(function (box) {
      if (box.scrollWidth > box.clientWidth) {
        box.tabIndex = 0;
      } else {
        box.removeAttribute("tabindex");
      }
    });
  }

  if (chosen()) {
    root.dataset.theme = chosen();
  }
  document.addEventListener("DOMContentLoaded", function () {
    var theme = document.getElementById("theme-button");
    var contents = document.getElementById("contents-button");

    function label() {
      theme.textContent = isDark() ? "Light" : "Dark";
    }

    theme.addEventListener("click", function () {
      choose(isDark() ? "light" : "dark");
      label();
    });
    window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", label);
    label();
    letScroll();
    window.addEventListener("resize", letScroll);
    contents.addEventListener("click", function () {
      var opened = root.classList.toggle("contents-open");
      contents.setAttribute("aria-expanded", String(opened));
    });
  });
})();
