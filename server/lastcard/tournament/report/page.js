"use strict";
// Narrows the list of games to those asked for; without it the list is there in full.
(() => {
  const form = document.getElementById("filter");
  if (!form) return;
  const blocks = [...document.querySelectorAll("details.games")].map((block) => ({
    block, lines: [...block.querySelectorAll("tbody tr")],
  }));
  const total = blocks.reduce((sum, { lines }) => sum + lines.length, 0);
  const wanted = () => {
    const { bot, cause, number, faults } = form.elements;
    const text = number.value.trim().toLowerCase();
    const set = text.startsWith("s") ? text.slice(1).trim() : "";
    if (!bot.value && !cause.value && !text && !faults.checked) return null;
    return (line) =>
      (!bot.value || line.dataset.b.split(" ").includes(bot.value)) &&
      (!cause.value || line.dataset.c === cause.value) &&
      (!faults.checked || "f" in line.dataset) &&
      (!text || (set ? line.cells[1].textContent.split(".")[0] === set : line.cells[0].textContent === text));
  };
  const narrow = () => {
    const fits = wanted();
    let found = 0;
    let opened = 0;
    for (const { block, lines } of blocks) {
      let here = 0;
      for (const line of lines) {
        const shown = !fits || fits(line);
        line.hidden = !shown;
        here += shown;
      }
      block.hidden = here === 0;
      block.open = Boolean(fits) && here > 0 && opened < 300;
      opened += block.open ? here : 0;
      found += here;
    }
    form.elements.found.value = fits ? `${found} of ${total} games` : `${total} games`;
  };
  form.hidden = false;
  form.addEventListener("input", narrow);
  form.addEventListener("submit", (event) => event.preventDefault());
  narrow();
})();
