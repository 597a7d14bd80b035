"""How the page of a mutation run looks: on a desk, on a phone, by day, by night and on paper."""

from __future__ import annotations

STYLE = """
:root { color-scheme: light dark; --page: #f6f7f9; --card: #ffffff; --ink: #1b2330; --soft: #5b6675; --line: #dfe4ea;
  --accent: #2456a6; --focus: #2456a6; --mono: ui-monospace, "SF Mono", Menlo, Consolas, "Liberation Mono", monospace;
  --killed: #176b3a; --killed-bg: #e3f4e9; --survived: #a3211b; --survived-bg: #fde8e6; --untested: #7a5200;
  --untested-bg: #fdf2d8; --timeout: #5b3fa0; --timeout-bg: #eee9fb; --other: #4d5867; --other-bg: #e9edf1; }
@media (prefers-color-scheme: dark) {
  :root { --page: #12161c; --card: #1a2028; --ink: #e6eaf0; --soft: #9aa6b5; --line: #2c3540; --accent: #8db7f5;
    --focus: #8db7f5; --killed: #7fd6a0; --killed-bg: #16331f; --survived: #ff9d95; --survived-bg: #43191a;
    --untested: #f0c674; --untested-bg: #3a2d10; --timeout: #c3b1f7; --timeout-bg: #2c2350; --other: #b4bfcc;
    --other-bg: #29313b; }
}
* { box-sizing: border-box; }
[hidden] { display: none !important; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--page); color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
main { max-width: 1500px; margin: 0 auto; padding: 28px 24px 64px; }
h1 { font-size: 28px; line-height: 1.2; margin: 0 0 4px; letter-spacing: -0.01em; }
h2 { font-size: 17px; margin: 0 0 8px; overflow-wrap: anywhere; }
p { margin: 0 0 12px; }
.lead, .note { color: var(--soft); }
.note { font-size: 13px; margin: 0; }
.keys { margin: 12px 0 0; }
i { font-style: normal; }
button, input { font: inherit; color: inherit; }
button { cursor: pointer; }
:focus-visible { outline: 2px solid var(--focus); outline-offset: 1px; }
.banner { display: flex; gap: 12px; margin: 16px 0; padding: 12px 16px; border-radius: 10px; font-weight: 600;
  overflow-wrap: anywhere; }
.killed { --tone: var(--killed); --tint: var(--killed-bg); }
.survived { --tone: var(--survived); --tint: var(--survived-bg); }
.untested { --tone: var(--untested); --tint: var(--untested-bg); }
.timeout { --tone: var(--timeout); --tint: var(--timeout-bg); }
.failed, .not-judged, .same, .unproven .killed { --tone: var(--other); --tint: var(--other-bg); }
.banner.good { background: var(--killed-bg); color: var(--killed); }
.banner.warn { background: var(--untested-bg); color: var(--untested); }
.banner.bad { background: var(--survived-bg); color: var(--survived); }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(120px, 1fr)); gap: 12px; margin: 0 0 16px;
  padding: 0; list-style: none; }
.tiles li { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 10px 14px; }
.tiles b { display: flex; gap: 8px; font-size: 23px; line-height: 1.3; font-variant-numeric: tabular-nums; }
.tiles b i { color: var(--tone); }
.tiles span { color: var(--soft); font-size: 13px; }
.tiles .score { grid-column: span 2; }
section, nav { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 16px 20px; }
.grounds { margin: 0 0 16px; }
ul.plain { padding-left: 20px; margin: 0 0 8px; }
ul.plain li { max-width: 110ch; overflow-wrap: anywhere; }
ul.names { font-family: var(--mono); font-size: 13px; }
summary { cursor: pointer; padding: 2px 0; }
.bar { position: sticky; top: 0; z-index: 2; background: var(--page); padding: 8px 0; display: flex; flex-wrap: wrap;
  gap: 8px 16px; align-items: center; }
.chips { display: flex; flex-wrap: wrap; gap: 8px; }
.chip { border: 1px solid var(--line); border-radius: 999px; background: var(--card); padding: 3px 12px;
  font-size: 14px; color: var(--tone); }
.chip b { font-variant-numeric: tabular-nums; }
.chip[aria-pressed="true"] { background: var(--tint); border-color: var(--tone); box-shadow: 0 0 0 1px var(--tone); }
.explorer { display: grid; grid-template-columns: minmax(260px, 340px) minmax(0, 1fr); gap: 16px; align-items: start; }
nav { position: sticky; top: 56px; max-height: calc(100vh - 72px); overflow-y: auto; padding: 16px 12px; }
nav h2 { padding: 0 8px; }
input { width: 100%; padding: 6px 10px; border: 1px solid var(--line); border-radius: 8px; background: var(--page); }
#files { list-style: none; margin: 8px 0 0; padding: 0; }
#files button { display: grid; grid-template-columns: 1fr auto; gap: 0 12px; width: 100%; text-align: left; border: 0;
  border-radius: 8px; background: none; padding: 8px; }
#files button:hover { background: var(--page); }
#files button[aria-current="true"] { background: var(--other-bg); }
.path { font-family: var(--mono); font-size: 13px; overflow-wrap: anywhere; }
span.share { font-variant-numeric: tabular-nums; font-size: 13px; white-space: nowrap; }
svg.share { grid-column: 1 / -1; width: 100%; height: 6px; border-radius: 3px; margin: 4px 0; background: var(--line); }
rect { fill: var(--tone); }
.words { grid-column: 1 / -1; color: var(--soft); font-size: 12px; }
section.source { padding: 16px 0; overflow: hidden; scroll-margin-top: 56px; }
section.source > .note, .head { padding: 0 20px; }
.head .note { margin: 0 0 12px; }
.head h2 { font-family: var(--mono); font-size: 15px; margin: 0; }
.chunk { content-visibility: auto; contain-intrinsic-size: auto 2000px; }
.line { display: grid; grid-template-columns: 44px 52px minmax(0, 1fr); font: 13px/20px var(--mono);
  border-left: 4px solid transparent; scroll-margin-top: 120px; }
.line code { font: inherit; white-space: pre-wrap; overflow-wrap: anywhere; padding-right: 12px; tab-size: 4; }
.line .at { color: var(--soft); text-align: right; padding-right: 12px; user-select: none; }
.line.has { background: var(--tint); border-left-color: var(--tone); cursor: pointer; }
.line.has:hover { filter: brightness(0.97); }
.mark { border: 0; background: none; padding: 0; height: 20px; color: var(--tone); font: bold 13px/20px var(--mono);
  text-align: center; white-space: nowrap; }
.panel { border-left: 4px solid var(--line); background: var(--page); padding: 12px 16px; }
.mutant { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 12px 16px;
  margin: 0 0 12px; }
.mutant:last-child { margin: 0; }
.mutant h3 { font-size: 15px; margin: 0 0 4px; overflow-wrap: anywhere; }
.mutant h3 .tag { color: var(--tone); background: var(--tint); border-radius: 999px; padding: 1px 10px;
  margin-right: 8px; font-size: 13px; white-space: nowrap; }
.diff { margin: 8px 0; border: 1px solid var(--line); border-radius: 8px; overflow: hidden; padding: 4px 0;
  font: 13px/20px var(--mono); white-space: pre-wrap; overflow-wrap: anywhere; }
.diff div { padding: 0 12px 0 28px; text-indent: -16px; }
.diff .old { background: var(--survived-bg); }
.diff .new { background: var(--other-bg); }
.diff mark { color: inherit; background: none; font-weight: 700; text-decoration: underline;
  text-underline-offset: 3px; }
dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 2px 16px; margin: 8px 0 0;
  font-size: 14px; }
dt { color: var(--soft); }
dd { margin: 0; overflow-wrap: anywhere; }
dd.name, dd ul { font-family: var(--mono); font-size: 13px; }
dd ul { margin: 0; padding: 0; list-style: none; }
#paper { display: none; }
@media (max-width: 760px) {
  main { padding: 20px 12px 48px; }
  h1 { font-size: 23px; }
  .tiles { grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 8px; }
  .explorer { grid-template-columns: minmax(0, 1fr); }
  nav { position: static; max-height: 45vh; }
  .bar { flex-wrap: nowrap; overflow-x: auto; }
  .chips { flex-wrap: nowrap; }
  .chip { white-space: nowrap; padding: 6px 12px; }
  .bar .note { display: none; }
  .line { grid-template-columns: 34px 40px minmax(0, 1fr); font-size: 12px; }
  .line .at { padding-right: 8px; }
  .panel { padding: 8px; }
  .mutant { padding: 10px 12px; }
  dl { grid-template-columns: minmax(0, 1fr); gap: 0; }
  dd { margin-bottom: 6px; }
  .keys { display: none; }
}
@media print {
  :root { --page: #fff; --card: #fff; --ink: #000; --soft: #444; --line: #bbb; --accent: #000; --killed: #000;
    --killed-bg: #fff; --survived: #000; --survived-bg: #fff; --untested: #000; --untested-bg: #fff; --timeout: #000;
    --timeout-bg: #fff; --other: #000; --other-bg: #fff; }
  body { font-size: 11px; }
  main { max-width: none; padding: 0; }
  section, nav, .tiles li, .mutant { border-radius: 0; padding: 6px 0; border-width: 1px 0 0; }
  .banner, .tag { border: 1px solid #000; }
  .bar, section.source, input, .keys { display: none; }
  .explorer { display: block; }
  nav { position: static; max-height: none; overflow: visible; }
  #files button { padding: 4px 0; }
  #paper { display: block; }
  .mutant, #files li, .tiles li { break-inside: avoid; }
  .diff div { line-height: 15px; font-size: 10px; }
  rect { fill: #fff; }
  rect.killed { fill: #000; }
  .unproven rect.killed { fill: #fff; }
  dl, dd.name, dd ul { font-size: 10px; }
  svg.share { border: 1px solid #000; }
}
"""
