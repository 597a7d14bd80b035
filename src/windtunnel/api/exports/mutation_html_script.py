"""What the page of a mutation run does: shows a file, opens mutants, filters.

Every word is written by ``append`` or ``textContent``, which make text of it and nothing else; a file becomes elements
when it is opened, so that a report of many files is there at once.
"""

from __future__ import annotations

SCRIPT = r"""
"use strict";
(() => {
  const holder = document.getElementById("source");
  if (!holder) return;
  const data = JSON.parse(document.getElementById("data").textContent);
  const find = (name) => document.getElementById(name);
  const buttons = [...document.querySelectorAll("#files button")];
  const chips = [...document.querySelectorAll(".chip")];
  const wanted = new Set();
  const places = new Map();
  let current = -1, rows = new Map();
  const CHUNK = 100, MOST_PAPER = 500, MOST_CARDS = 100;

  data.files.forEach((file, number) => {
    file.at = new Map();
    for (const mutant of file.mutants) {
      if (!file.at.has(mutant.line)) file.at.set(mutant.line, []);
      file.at.get(mutant.line).push(mutant);
      places.set(mutant.id, [number, mutant]);
    }
  });

  function make(name, of, ...inner) {
    const made = document.createElement(name);
    if (of) made.className = of;
    made.append(...inner);
    return made;
  }
  const told = (mutant) => !wanted.size || wanted.has(mutant.fate);
  const at = (file, line) => (file.at.get(line) || []).filter(told);
  const plural = (number, word) => `${number} ${word}${number === 1 ? "" : "s"}`;

  function open(number) {
    const file = data.files[number];
    current = number;
    rows = new Map();
    buttons.forEach((button, one) => button.setAttribute("aria-current", String(one === number)));
    const count = [plural(file.lines.length, "line"), plural(file.mutants.length, "mutant"), file.score].join(", ");
    const about = file.given ? count : "The source of this file was not given; its mutants are listed by line.";
    const parts = [make("div", "head", make("h2", "", file.path), make("p", "note", about))];
    const lines = file.given ? file.lines.map((text, one) => [one + 1, text]) : [];
    for (const line of file.at.keys()) if (line > file.lines.length || line < 1) lines.push([line, ""]);
    for (let begin = 0; begin < lines.length; begin += CHUNK) {
      const chunk = make("div", "chunk");
      for (const [line, text] of lines.slice(begin, begin + CHUNK)) chunk.append(row(file, line, text));
      parts.push(chunk);
    }
    holder.replaceChildren(...parts);
  }

  function row(file, line, text) {
    const made = make("div", "line", make("span", ""), make("span", "at", String(line)), make("code", "", text));
    if (file.at.has(line)) {
      rows.set(line, made);
      made.dataset.line = line;
      paint(file, line, made);
    }
    return made;
  }

  function paint(file, line, made) {
    const found = at(file, line);
    made.className = "line";
    if (!found.length) {
      if (made.firstChild.tagName === "BUTTON") made.firstChild.replaceWith(make("span", ""));
      return;
    }
    const worst = data.fates[Math.min(...found.map((mutant) => mutant.fate))];
    made.classList.add("has", worst.of);
    const signs = data.fates.filter((fate, one) => found.some((mutant) => mutant.fate === one));
    const mark = make("button", "mark", signs.slice(0, 3).map((fate) => fate.sign).join(""));
    const words = data.fates.map((fate, one) => [fate.name, found.filter((mutant) => mutant.fate === one).length]);
    const label = words.filter(([, number]) => number).map(([name, number]) => `${number} ${name}`).join(", ");
    mark.type = "button";
    mark.title = label;
    mark.setAttribute("aria-label", `line ${line}: ${label}`);
    mark.setAttribute("aria-expanded", "false");
    made.firstChild.replaceWith(mark);
  }

  function diff(mutant) {
    const made = make("div", "diff");
    for (const [sign, before, changed, after] of mutant.diff) {
      const of = sign === "-" ? "old" : sign === "+" ? "new" : "";
      made.append(make("div", of, `${sign} `, before, ...(changed ? [make("mark", "", changed)] : []), after));
    }
    return made;
  }

  function facts(file, mutant) {
    const made = make("dl", "");
    const add = (name, value, of) => made.append(make("dt", "", name), make("dd", of, value));
    const name = (number) => data.names[number];
    add("Place", `${file.path}:${mutant.line}:${mutant.column}`, "name");
    if (name(mutant.function)) add("Function", name(mutant.function), "name");
    add("Operator", name(mutant.operator), "name");
    add("Fate", data.fates[mutant.fate].meaning);
    if (name(mutant.by)) add("Noticed by", name(mutant.by), "name");
    add("Tests that run it", String(mutant.reached));
    if (mutant.tests.length) {
      const more = mutant.more ? [make("li", "", `… ${mutant.more} more`)] : [];
      add("Some of them", make("ul", "", ...mutant.tests.map((one) => make("li", "", name(one))), ...more));
    }
    if (mutant.way) add("Tried", `${mutant.way}, ${mutant.seconds} s`);
    if (mutant.suggestion) {
      const [path, lines] = mutant.suggestion;
      const code = lines.map((line) => make("div", "", line || " "));
      add(`A test that would notice, for ${path}`, make("div", "diff", ...code));
    }
    if (mutant.without) add("No test found", mutant.without);
    add("Id", mutant.id, "name");
    return made;
  }

  function card(file, mutant) {
    const fate = data.fates[mutant.fate];
    const title = make("h3", "", make("span", "tag", `${fate.sign} ${fate.name}`), mutant.what);
    return make("article", `mutant ${fate.of}`, title, diff(mutant), facts(file, mutant));
  }

  function isOpen(line) {
    const made = rows.get(line);
    return made && made.nextSibling && made.nextSibling.className === "panel";
  }

  function close(line) {
    if (!isOpen(line)) return;
    rows.get(line).nextSibling.remove();
    rows.get(line).firstChild.setAttribute("aria-expanded", "false");
  }

  function show(line) {
    const file = data.files[current], made = rows.get(line), found = at(file, line);
    if (!made || !found.length || isOpen(line)) return;
    const left = found.length - MOST_CARDS;
    const panel = make("div", "panel", ...found.slice(0, MOST_CARDS).map((mutant) => card(file, mutant)),
      ...(left > 0 ? [make("p", "note", `… ${left} more in this line`)] : []));
    panel.setAttribute("role", "region");
    panel.setAttribute("aria-label", `mutants of line ${line}`);
    made.after(panel);
    made.firstChild.setAttribute("aria-expanded", "true");
    history.replaceState(null, "", "#" + encodeURIComponent(found[0].id));
  }

  function closeAll() { for (const line of rows.keys()) close(line); }

  function go(number, line) {
    if (number !== current) open(number); else closeAll();
    show(line);
    const made = rows.get(line);
    if (!made) return;
    made.scrollIntoView({block: "center"});
    if (made.firstChild.tagName === "BUTTON") made.firstChild.focus({preventScroll: true});
  }

  function refresh() {
    const word = find("wanted").value.trim().toLowerCase();
    let mutants = 0, files = 0;
    data.files.forEach((file, number) => {
      const found = file.path.toLowerCase().includes(word) ? file.mutants.filter(told).length : 0;
      buttons[number].parentNode.hidden = !found;
      mutants += found;
      files += found ? 1 : 0;
    });
    find("told").textContent = `${plural(mutants, "mutant")} in ${plural(files, "file")} shown`;
    const left = buttons.findIndex((button) => !button.parentNode.hidden);
    if (left >= 0 && buttons[current] && buttons[current].parentNode.hidden) { open(left); return; }
    for (const [line, made] of rows) { close(line); paint(data.files[current], line, made); }
  }

  function step(way) {
    const all = [];
    data.files.forEach((file, number) => {
      if (buttons[number].parentNode.hidden) return;
      for (const line of file.at.keys()) if (at(file, line).length) all.push([number, line]);
    });
    if (!all.length) return;
    const opened = [...rows.keys()].filter(isOpen);
    const last = opened.length ? opened[opened.length - 1] : 0;
    let next = way > 0 ? all.findIndex(([number, line]) => number > current || (number === current && line > last))
      : all.findLastIndex(([number, line]) => number < current || (number === current && line < last));
    if (next < 0) next = way > 0 ? 0 : all.length - 1;
    go(...all[next]);
  }

  function byHash() {
    let name = "";
    try { name = decodeURIComponent(location.hash.slice(1)); } catch { return false; }
    if (!places.has(name)) return false;
    const [number, mutant] = places.get(name);
    go(number, mutant.line);
    return true;
  }

  holder.addEventListener("click", (event) => {
    const made = event.target.closest(".line.has");
    if (!made || !getSelection().isCollapsed) return;
    const line = Number(made.dataset.line);
    if (isOpen(line)) close(line); else show(line);
  });
  for (const button of buttons) button.addEventListener("click", () => {
    open(Number(button.dataset.file));
    find("shown").scrollIntoView({block: "start"});
  });
  for (const chip of chips) chip.addEventListener("click", () => {
    const fate = Number(chip.dataset.fate);
    if (!wanted.delete(fate)) wanted.add(fate);
    chip.setAttribute("aria-pressed", String(wanted.has(fate)));
    refresh();
  });
  find("wanted").addEventListener("input", refresh);
  document.addEventListener("keydown", (event) => {
    if (event.target.tagName === "INPUT" || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "j") step(1);
    else if (event.key === "k") step(-1);
    else if (event.key === "Escape") closeAll();
  });
  addEventListener("hashchange", byHash);
  addEventListener("beforeprint", () => {
    const all = data.files.flatMap((file, number) => buttons[number].parentNode.hidden ? []
      : file.mutants.filter((mutant) => told(mutant) && (wanted.size || mutant.fate < 2)).map((one) => [file, one]));
    const left = all.length - MOST_PAPER;
    for (const folded of document.querySelectorAll("details")) folded.open = true;
    find("paper").replaceChildren(
      make("h2", "", wanted.size ? "The mutants shown" : "What tests did not notice"),
      ...all.slice(0, MOST_PAPER).map(([file, mutant]) => card(file, mutant)),
      ...(left > 0 ? [make("p", "", `… ${left} more`)] : []));
  });
  addEventListener("afterprint", () => find("paper").replaceChildren());

  const worst = data.files.map((file) => file.mutants.filter((mutant) => mutant.fate === 0).length);
  refresh();
  if (!byHash()) open(worst.indexOf(Math.max(...worst)));
})();
"""
