/** The colours, and what looks the same in a report and in the studio. */
export const sharedStyle = `
:root {
  --paper: #fbfbfa; --card: #ffffff; --ink: #1d2127; --soft: #5d6673; --line: #e2e5e9; --track: #eceef1;
  --edge: #8a939e; --focus: #2563c9; --series-a: #2f6fb5; --series-b: #3a9d8f; --good: #14693c; --calm: #5b7083; --warn: #9a6200; --bad: #b8322a;
  --good-back: #e6f4ec; --calm-back: #eef1f4; --warn-back: #fbf1de; --bad-back: #fbeae8;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #14171b; --card: #1b1f25; --ink: #e6e8eb; --soft: #9aa4b1; --line: #2e343c; --track: #2a3038;
    --edge: #6b7582; --focus: #8ab4f8; --series-a: #6fa8e6; --series-b: #5cc0b1; --good: #5cc98d; --calm: #9fb2c4; --warn: #e0ac4e; --bad: #f08b82;
    --good-back: #17301f; --calm-back: #242b33; --warn-back: #33280f; --bad-back: #3a1c1a;
  }
}
* { box-sizing: border-box; }
a { color: inherit; text-decoration-color: var(--soft); text-underline-offset: 2px; }
code { font: .9em ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; overflow-wrap: anywhere; }
.soft { color: var(--soft); }
.small { font-size: .87rem; }
.wide { overflow-x: auto; }
ul.plain { list-style: none; padding: 0; margin: 0; }
:focus-visible { outline: 2px solid var(--focus); outline-offset: 2px; border-radius: 3px; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
td.number, th.number { text-align: right; white-space: nowrap; }
tr:last-child > td { border-bottom: 0; }
svg .track { fill: var(--track); }
details > summary { cursor: pointer; color: var(--soft); padding: .25rem 0; }
`

/** The style of a report: light or dark like the reader's system, in one column that fits a phone, and plain on paper. */
export const style = `${sharedStyle}
body {
  margin: 0 auto; padding: 2rem 1.25rem 4rem; max-width: 68rem; background: var(--paper); color: var(--ink);
  overflow-wrap: anywhere; font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
}
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .25rem; overflow-wrap: anywhere; }
h2 { font-size: 1.1rem; margin: 0 0 .75rem; }
h3 { font-size: 1rem; margin: 1rem 0 .25rem; }
p { margin: .25rem 0; }
section, header { margin: 0 0 1.25rem; padding: 1.25rem 1.5rem; background: var(--card); border: 1px solid var(--line); border-radius: 10px; }
header { border-left-width: 6px; }
header.good { border-left-color: var(--good); } header.calm { border-left-color: var(--calm); }
header.warn { border-left-color: var(--warn); } header.bad { border-left-color: var(--bad); }
.badge { display: inline-block; padding: .05rem .6rem; border-radius: 1rem; font-weight: 600; font-size: .85rem; white-space: nowrap; }
.badge.good { color: var(--good); background: var(--good-back); } .badge.calm { color: var(--calm); background: var(--calm-back); }
.badge.warn { color: var(--warn); background: var(--warn-back); } .badge.bad { color: var(--bad); background: var(--bad-back); }
.next { margin-top: .75rem; padding: .6rem .8rem; background: var(--calm-back); border-radius: 6px; }
dl { display: grid; grid-template-columns: fit-content(14rem) minmax(0, 1fr); gap: .2rem 1.25rem; margin: .75rem 0 0; }
dt { color: var(--soft); overflow-wrap: anywhere; }
dd { margin: 0; overflow-wrap: anywhere; }
.mark { margin: 0 0 1.25rem; padding: .75rem 1.5rem; border-radius: 10px; border: 2px dashed var(--warn); background: var(--warn-back); color: var(--ink); }
.mark strong { color: var(--warn); margin-right: .5rem; letter-spacing: .04em; }
.sentence { font-size: 1.15rem; margin: .5rem 0; }
nav ul { display: flex; flex-wrap: wrap; gap: .25rem 1rem; list-style: none; margin: 0 0 1.25rem; padding: 0 .25rem; font-size: .9rem; }
nav a { display: inline-block; padding: .15rem 0; }
.even table { table-layout: fixed; }
.caption { display: block; color: var(--soft); font-size: .87rem; }
.mono bdi { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; font-size: .9em; }
:target { scroll-margin-top: 1rem; }
th, td { padding: .4rem .75rem .4rem 0; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); overflow-wrap: break-word; }
td bdi, td li { overflow-wrap: anywhere; }
td bdi { display: inline-block; max-width: 100%; }
th:first-child, td:first-child { min-width: 6rem; }
th.number:first-child, td.number:first-child { min-width: 3rem; }
th { color: var(--soft); font-weight: 500; font-size: .85rem; white-space: nowrap; }
tr.total > td { font-weight: 600; border-top: 2px solid var(--line); }
tr.none > td { color: var(--soft); }
svg.bar { display: block; width: 100%; min-width: 4rem; max-width: 8rem; margin-left: auto; height: 6px; margin-top: .3rem; margin-bottom: .2rem; border-radius: 3px; }
svg.bar .none { fill: var(--track); }
svg.chart { display: block; width: 100%; min-width: 44rem; height: auto; margin: 0 0 1rem; }
svg.chart text { fill: var(--ink); font: 14px system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
svg.chart .figure { fill: var(--soft); font-variant-numeric: tabular-nums; }
svg.chart .flow { fill: none; stroke-opacity: .3; }
svg .flow.good { stroke: var(--good); } svg .flow.calm { stroke: var(--calm); } svg .flow.warn { stroke: var(--warn); } svg .flow.bad { stroke: var(--bad); }
svg .flow.good, svg .flow.calm, svg .flow.warn, svg .flow.bad { fill: none; }
.axis path { stroke: var(--line); fill: none; }
svg.chart .axis text { fill: var(--soft); font-size: 12px; }
.series-read { fill: var(--series-b); } .series-create { fill: var(--series-a); } .series-metadata { fill: var(--calm); }
.throttled { stroke: var(--bad); stroke-width: 2; stroke-dasharray: 3 3; }
.legend { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; list-style: none; padding: 0; font-size: .87rem; color: var(--soft); }
.legend li::before { content: ""; display: inline-block; width: .8rem; height: .8rem; margin-right: .4rem; border-radius: 2px; vertical-align: -.05rem; }
.key-create::before { background: var(--series-a); } .key-read::before { background: var(--series-b); }
.key-metadata::before { background: var(--calm); } .key-throttled::before { background: var(--bad); }
.controls { display: flex; flex-wrap: wrap; gap: .75rem 1.25rem; align-items: end; margin: .75rem 0; }
.controls select, .controls input { width: 16rem; max-width: 100%; }
.controls label { max-width: 100%; display: grid; grid-template-columns: minmax(0, 1fr); gap: .2rem; font-size: .87rem; color: var(--soft); }
input, select, button { font: inherit; color: var(--ink); background: var(--paper); border: 1px solid var(--edge); border-radius: 6px; padding: .3rem .6rem; max-width: 18rem; }
button { cursor: pointer; }
button:disabled { color: var(--soft); cursor: default; opacity: .6; }
button.sort { border: 0; padding: 0; background: none; color: inherit; font-weight: inherit; }
th[aria-sort=ascending] .sort::after { content: " ▲"; } th[aria-sort=descending] .sort::after { content: " ▼"; }
#attention-table td:nth-child(2), #attention-table td:nth-child(6) { min-width: 8rem; }
#attention-table td:nth-child(5) { min-width: 16rem; }
.pages { display: flex; flex-wrap: wrap; gap: .5rem; align-items: center; margin-top: .75rem; }
svg .good { fill: var(--good); } svg .calm { fill: var(--calm); } svg .warn { fill: var(--warn); } svg .bad { fill: var(--bad); }
ul { margin: .25rem 0; padding-left: 1.25rem; }
footer { color: var(--soft); font-size: .85rem; padding: 0 .25rem; }
@media (max-width: 40rem) { dl { grid-template-columns: 1fr; gap: 0; } dd { margin-bottom: .5rem; } }
@media print {
  :root {
    --paper: #fff; --card: #fff; --ink: #000; --soft: #444; --line: #bbb; --track: #ddd;
    --good: #14633a; --calm: #44586a; --warn: #7a4d00; --bad: #8f241d;
    --good-back: #fff; --calm-back: #fff; --warn-back: #fff; --bad-back: #fff;
  }
  body { max-width: none; padding: 0; font-size: 10.5pt; }
  section, header { padding: .5rem 0; border-width: 0 0 1px; border-radius: 0; }
  header { padding-left: .75rem; border-left-width: 4px; }
  nav, .controls, .pages { display: none; }
  svg.chart { min-width: 0; }
  tr, header, svg { break-inside: avoid; }
  h2 { break-after: avoid; }
  .wide { overflow: visible; }
  svg { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
`
