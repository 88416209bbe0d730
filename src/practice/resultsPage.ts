import { hash } from "node:crypto"
import { pagePolicy } from "./loopback.ts"

const style = `
:root { color-scheme: light dark; --paper: #fbfbfa; --ink: #1d2127; --soft: #5d6673; --line: #dfe3e8; --edge: #8a939e; --head: #eef1f4; --link: #1f5fae; }
@media (prefers-color-scheme: dark) { :root { --paper: #14171b; --ink: #e6e8eb; --soft: #9aa4b1; --line: #2e343c; --edge: #6b7582; --head: #1f242b; --link: #8ab4f8; } }
* { box-sizing: border-box; }
body { margin: 0; padding: 1.5rem; background: var(--paper); color: var(--ink); font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
h1 { font-size: 1.3rem; margin: 0 0 .25rem; overflow-wrap: anywhere; }
p { margin: .25rem 0 1rem; color: var(--soft); }
a { color: var(--link); }
.controls { display: flex; flex-wrap: wrap; gap: .75rem 1.25rem; align-items: end; margin: 0 0 .75rem; }
label { display: grid; gap: .2rem; font-size: .87rem; color: var(--soft); max-width: 100%; }
input, select, button { font: inherit; color: var(--ink); background: var(--paper); border: 1px solid var(--edge); border-radius: 6px; padding: .3rem .6rem; max-width: 22rem; }
button:disabled { color: var(--soft); }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
.wide { overflow: auto; max-height: 75vh; border: 1px solid var(--line); border-radius: 8px; }
table { width: max-content; min-width: 100%; border-collapse: separate; border-spacing: 0; font-variant-numeric: tabular-nums; }
th, td { padding: .35rem .75rem; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); white-space: pre-wrap; }
td bdi, th bdi { display: block; width: max-content; max-width: 24rem; overflow-wrap: anywhere; }
th { position: sticky; top: 0; background: var(--head); font-weight: 600; white-space: normal; }
main > p:last-child { margin-top: .75rem; }
`

/** The page's script. Fetches rows from the service and inserts them as text, so that no submission can become markup. */
const script = String.raw`"use strict";
(() => {
  const by = (id) => document.getElementById(id);
  const [form, filter, status, head, body, previous, next, download, title] =
    ["form", "filter", "status", "head", "body", "previous", "next", "download", "title"].map(by);
  // The token is part of the path: /results/TOKEN/FORM.
  const root = location.pathname.split("/").slice(0, 3).join("/");
  const number = new Intl.NumberFormat("en-US");
  let page = 0;
  let asked = 0;

  const row = (into, cells, name) => {
    const made = document.createElement("tr");
    for (const text of cells) {
      const cell = document.createElement(name);
      if (name === "th") cell.scope = "col";
      const inner = document.createElement("bdi");
      inner.textContent = text;
      cell.append(inner);
      made.append(cell);
    }
    into.append(made);
  };

  const show = async () => {
    const mine = ++asked;
    const path = root + "/" + encodeURIComponent(form.value);
    download.href = path + "/csv";
    title.textContent = form.selectedOptions[0]?.dataset.name ?? "Results";
    const answer = await fetch(path + "/rows?" + new URLSearchParams({ filter: filter.value, page: String(page) }));
    const found = await answer.json();
    if (mine !== asked) return;
    head.replaceChildren();
    body.replaceChildren();
    row(head, found.titles, "th");
    for (const cells of found.rows) row(body, cells, "td");
    const from = found.fitting === 0 ? 0 : page * found.pageSize + 1;
    status.textContent = number.format(from) + " to " + number.format(from === 0 ? 0 : from + found.rows.length - 1) + " of "
      + number.format(found.fitting) + (found.fitting === found.all ? " submissions" : " that fit, of " + number.format(found.all));
    previous.disabled = page === 0;
    next.disabled = (page + 1) * found.pageSize >= found.fitting;
    document.documentElement.dataset.ready = String(mine);
  };

  const restart = () => { page = 0; void show(); };
  form.addEventListener("change", () => {
    history.replaceState(null, "", root + "/" + encodeURIComponent(form.value));
    restart();
  });
  filter.addEventListener("input", restart);
  previous.addEventListener("click", () => { page--; void show(); });
  next.addEventListener("click", () => { page++; void show(); });

  void (async () => {
    const forms = await (await fetch(root + "?forms")).json();
    const wanted = decodeURIComponent(location.pathname.split("/")[3] ?? "");
    for (const { id, name, submissions } of forms) {
      const option = document.createElement("option");
      option.value = id;
      option.dataset.name = name;
      option.textContent = name + " (" + number.format(submissions) + ")";
      option.selected = id === wanted;
      form.append(option);
    }
    if (forms.length > 0) await show();
  })();
})();
`

const allowed = (text: string): string => `'sha256-${hash("sha256", text, "base64")}'`

/** Allows the page to run only its own script and to send requests only to its own service. */
export const policy = pagePolicy(`style-src ${allowed(style)}`, `script-src ${allowed(script)}`, "connect-src 'self'")

/** The results page. It is the same text for every form, and contains no value of a submission. */
export const resultsPage = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>Results: formferry practice service</title>
<style>${style}</style>
</head>
<body>
<main>
<h1 id="title">Results</h1>
<p>The practice service of formferry: nothing here was sent anywhere else.</p>
<div class="controls">
<label>Form <select id="form"></select></label>
<label>Filter <input id="filter" type="search" autocomplete="off" spellcheck="false"></label>
<a id="download" download>Download as CSV</a>
</div>
<p id="status" role="status"></p>
<div class="wide" tabindex="0" role="group" aria-label="Submissions"><table><thead id="head"></thead><tbody id="body"></tbody></table></div>
<p><button id="previous" type="button" disabled>Previous</button> <button id="next" type="button" disabled>Next</button></p>
</main>
<script>${script}</script>
</body>
</html>
`
