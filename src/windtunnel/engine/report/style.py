"""How the page of a report looks: on a desk, on a phone, by day, by night and on paper."""

from __future__ import annotations

STYLE = """
:root { color-scheme: light dark; --page: #f6f7f9; --card: #ffffff; --ink: #1b2330; --soft: #5b6675; --line: #dfe4ea;
  --accent: #2456a6; --bar: #7fa3dc; --good: #176b3a; --good-bg: #e3f4e9; --bad: #a3211b; --bad-bg: #fde8e6;
  --warn: #7a5200; --warn-bg: #fdf2d8; }
@media (prefers-color-scheme: dark) {
  :root { --page: #12161c; --card: #1a2028; --ink: #e6eaf0; --soft: #9aa6b5; --line: #2c3540; --accent: #8db7f5;
    --bar: #4a76b8; --good: #7fd6a0; --good-bg: #16331f; --bad: #ff9d95; --bad-bg: #43191a; --warn: #f0c674;
    --warn-bg: #3a2d10; }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--page); color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
main { max-width: 1100px; margin: 0 auto; padding: 32px 24px 64px; }
h1 { font-size: 28px; line-height: 1.2; margin: 0 0 4px; letter-spacing: -0.01em; }
h2 { font-size: 19px; margin: 0 0 4px; }
h3 { font-size: 14px; margin: 20px 0 6px; color: var(--soft); font-weight: 600; }
p { margin: 0 0 12px; max-width: 75ch; }
.lead { color: var(--soft); }
.note { color: var(--soft); font-size: 13px; margin: 8px 0 0; }
code, .mono { font-family: ui-monospace, "SF Mono", Menlo, Consolas, "Liberation Mono", monospace; font-size: 0.88em; }
code { overflow-wrap: anywhere; }
.banner { display: flex; gap: 12px; align-items: baseline; margin: 20px 0; padding: 12px 16px; border-radius: 10px;
  font-weight: 600; overflow-wrap: anywhere; }
.banner.good { background: var(--good-bg); color: var(--good); }
.banner.bad { background: var(--bad-bg); color: var(--bad); }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(140px, 1fr)); gap: 12px; margin: 0 0 20px;
  padding: 0; list-style: none; }
.tiles li { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 12px 16px; }
.tiles b { display: block; font-size: 24px; line-height: 1.2; font-variant-numeric: tabular-nums; }
.tiles span { color: var(--soft); font-size: 13px; }
section { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 20px 24px;
  margin: 0 0 16px; }
nav { margin: 0 0 20px; font-size: 14px; line-height: 2; }
nav a { margin-right: 16px; white-space: nowrap; }
a { color: var(--accent); }
.columns { display: grid; grid-template-columns: repeat(auto-fit, minmax(400px, 1fr)); gap: 0 32px;
  align-items: start; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: 14px; }
th { text-align: left; color: var(--soft); font-weight: 600; font-size: 12px; padding: 4px 12px 4px 0;
  white-space: nowrap; border-bottom: 1px solid var(--line); }
td { padding: 6px 12px 6px 0; border-bottom: 1px solid var(--line); vertical-align: top; overflow-wrap: anywhere;
  min-width: 4.5em; }
tr:last-child td { border-bottom: 0; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; min-width: 0; }
td.tight, td code { white-space: nowrap; }
table.wide .number, table.wide .tight { width: 1%; }
td.gauge { width: 35%; min-width: 60px; padding-right: 0; }
svg { display: block; width: 100%; fill: var(--bar); }
svg.gauge { height: 8px; margin-top: 7px; }
svg.days { height: 88px; margin-top: 8px; border-bottom: 1px solid var(--line); }
.ends { display: flex; justify-content: space-between; color: var(--soft); font-size: 12px; }
.tag { display: inline-block; padding: 0 8px; border-radius: 999px; font-size: 12px; line-height: 20px;
  background: var(--line); white-space: nowrap; max-width: 100%; overflow: hidden; text-overflow: ellipsis;
  vertical-align: bottom; }
.tag.good { background: var(--good-bg); color: var(--good); }
.tag.bad { background: var(--bad-bg); color: var(--bad); }
.tag.warn { background: var(--warn-bg); color: var(--warn); }
ul.plain { padding-left: 20px; margin: 0 0 12px; }
ul.plain li { max-width: 75ch; margin-bottom: 4px; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 4px 16px; margin: 0 0 12px; }
dt { color: var(--soft); }
dd { margin: 0; overflow-wrap: anywhere; }
pre { background: var(--page); border: 1px solid var(--line); border-radius: 8px; padding: 10px 14px; margin: 0 0 12px;
  white-space: pre-wrap; overflow-wrap: anywhere; font-size: 13px; }
@media (max-width: 640px) {
  main { padding: 20px 12px 40px; }
  section { padding: 16px; }
  h1 { font-size: 23px; }
  .tiles { grid-template-columns: repeat(2, 1fr); }
  .columns { grid-template-columns: minmax(0, 1fr); }
  dl { grid-template-columns: 1fr; gap: 0; }
  dd { margin-bottom: 8px; }
  table.wide thead { display: none; }
  table.wide tr { display: block; padding: 10px 0; border-bottom: 1px solid var(--line); }
  table.wide tr:last-child { border-bottom: 0; }
  table.wide td { display: grid; grid-template-columns: 7.5em 1fr; gap: 8px; padding: 2px 0; border: 0;
    text-align: left; white-space: normal; }
  table.wide td .tag { justify-self: start; }
  table.wide .number, table.wide .tight { width: auto; }
  table.wide td::before { content: attr(data-label); color: var(--soft); font-size: 13px; }
}
@media print {
  :root { --page: #fff; --card: #fff; --ink: #000; --soft: #444; --line: #bbb; --accent: #000; --bar: #999;
    --good: #000; --good-bg: #fff; --bad: #000; --bad-bg: #fff; --warn: #000; --warn-bg: #fff; }
  body { font-size: 11px; }
  main { max-width: none; padding: 0; }
  nav { display: none; }
  section, .tiles li { border-radius: 0; padding: 8px 0; border-width: 1px 0 0; }
  .banner, .tag { border: 1px solid #000; }
  h2, h3 { break-after: avoid; }
  tr, .tiles li { break-inside: avoid; }
  thead { display: table-header-group; }
  .scroll { overflow: visible; }
  table { font-size: 10px; }
}
"""
