import { answerVerdicts, differenceWord } from "../../domain/comparison.ts"
import { fateWords, verdictWords } from "../../domain/fate.ts"

const words = [
  ...Object.values(fateWords),
  ...Object.values(verdictWords),
  ...answerVerdicts.flatMap((verdict) => [differenceWord(verdict, false), differenceWord(verdict, true)]),
]
const tones = Object.fromEntries(words.map(({ title, tone }) => [title, tone]))

/**
 * The page's script for the table of rows to review. Reads the entries from JSON, shows them page by page, and inserts
 * every string as text, never as markup. Filters and sorts arrays, so that 50,000 entries respond at once. Makes the
 * strings to search once, and the sort keys once for each column.
 */
export const attentionScript = String.raw`"use strict";
(() => {
  const source = document.getElementById("attention-data");
  if (source === null) return;
  const entries = JSON.parse(source.textContent);
  source.remove();
  const [ROW, KEY, WHAT, WHERE, DETAIL, SUBMISSION, LINK] = [0, 1, 2, 3, 4, 5, 6];
  const pageSize = 100;
  const by = (id) => document.getElementById("attention-" + id);
  const [search, what, where, status, table] = ["search", "what", "where", "status", "table"].map(by);
  const body = table.tBodies[0];
  const heads = [...table.tHead.rows[0].cells];
  const number = new Intl.NumberFormat("en-US");
  const tones = ${JSON.stringify(tones)};

  let haystacks;
  const orders = new Map();
  let sortedBy = -1;
  let descending = false;
  let shown = [];
  let page = 0;

  const choices = (select, column) => {
    const counts = new Map();
    for (const entry of entries) if (entry[column] !== "") counts.set(entry[column], (counts.get(entry[column]) || 0) + 1);
    const sorted = [...counts].sort((a, b) => b[1] - a[1]).slice(0, 500);
    for (const [value, count] of sorted) {
      const option = document.createElement("option");
      option.value = value;
      option.textContent = value + " (" + number.format(count) + ")";
      select.append(option);
    }
  };

  const order = (column) => {
    const known = orders.get(column);
    if (known !== undefined) return known;
    const keys = entries.map((entry) => column === ROW ? entry[ROW] : String(entry[column]).toLowerCase());
    const made = Uint32Array.from(entries.keys())
      .sort((a, b) => keys[a] < keys[b] ? -1 : keys[a] > keys[b] ? 1 : entries[a][ROW] - entries[b][ROW] || a - b);
    orders.set(column, made);
    return made;
  };

  const select = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter((word) => word !== "");
    if (words.length > 0 && haystacks === undefined) {
      haystacks = entries.map((entry) => entry.slice(0, LINK).join("\n").toLowerCase());
    }
    const fits = (index) => {
      const entry = entries[index];
      return (what.value === "" || entry[WHAT] === what.value) && (where.value === "" || entry[WHERE] === where.value)
        && words.every((word) => haystacks[index].includes(word));
    };
    shown = Array.from(sortedBy < 0 ? entries.keys() : order(sortedBy)).filter(fits);
    if (descending) shown.reverse();
    page = 0;
    show();
  };

  const cell = (row, text, className) => {
    const made = row.insertCell();
    if (className) made.className = className;
    const inner = document.createElement("bdi");
    inner.textContent = text;
    made.append(inner);
    return made;
  };

  const show = () => {
    const pages = Math.max(1, Math.ceil(shown.length / pageSize));
    page = Math.min(Math.max(page, 0), pages - 1);
    const rows = document.createDocumentFragment();
    for (const index of shown.slice(page * pageSize, (page + 1) * pageSize)) {
      const entry = entries[index];
      const row = document.createElement("tr");
      cell(row, number.format(entry[ROW]), "number");
      cell(row, entry[KEY], "mono");
      const badge = document.createElement("span");
      badge.className = "badge " + (tones[entry[WHAT]] || "warn");
      badge.textContent = entry[WHAT];
      row.insertCell().append(badge);
      cell(row, entry[WHERE]);
      cell(row, entry[DETAIL]);
      const last = cell(row, entry[SUBMISSION], "mono");
      if (entry[LINK] !== "") {
        const link = document.createElement("a");
        link.href = entry[LINK];
        link.rel = "noreferrer noopener";
        link.target = "_blank";
        link.textContent = "edit";
        link.setAttribute("aria-label", "edit submission " + entry[SUBMISSION]);
        last.append(" ", link);
      }
      rows.append(row);
    }
    body.replaceChildren(rows);
    const from = shown.length === 0 ? 0 : page * pageSize + 1;
    const to = Math.min((page + 1) * pageSize, shown.length);
    status.textContent = number.format(from) + " to " + number.format(to) + " of " + number.format(shown.length)
      + (shown.length === entries.length ? "" : " that match, of " + number.format(entries.length));
    by("page").textContent = "page " + number.format(page + 1) + " of " + number.format(pages);
    for (const id of ["first", "previous"]) by(id).disabled = page === 0;
    for (const id of ["next", "last"]) by(id).disabled = page >= pages - 1;
  };

  const turn = (id, to) => by(id).addEventListener("click", () => { page = to(); show(); });
  turn("first", () => 0);
  turn("previous", () => page - 1);
  turn("next", () => page + 1);
  turn("last", () => Infinity);

  heads.forEach((head, column) =>
    head.querySelector("button").addEventListener("click", () => {
      descending = sortedBy === column && !descending;
      sortedBy = column;
      for (const other of heads) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", descending ? "descending" : "ascending");
      select();
    }));

  const filter = (whatValue, whereValue, text) => {
    what.value = whatValue;
    where.value = whereValue;
    search.value = text;
    select();
  };
  search.addEventListener("input", select);
  what.addEventListener("change", select);
  where.addEventListener("change", select);
  by("clear").addEventListener("click", () => filter("", "", ""));
  document.addEventListener("click", (event) => {
    const link = event.target instanceof Element ? event.target.closest("a[data-what]") : null;
    if (link !== null) filter(link.dataset.what, link.dataset.where || "", "");
  });

  choices(what, WHAT);
  choices(where, WHERE);
  select();
  document.getElementById("attention").hidden = false;
})();
`
