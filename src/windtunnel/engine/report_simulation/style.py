"""What the report of a simulation adds to the look of reports."""

from __future__ import annotations

from windtunnel.engine.report.style import STYLE as _COMMON

STYLE = _COMMON + """
table.heat { width: auto; border-collapse: separate; border-spacing: 2px; }
table.heat th, table.heat td { border: 0; padding: 0; }
table.heat th.name { padding-right: 12px; font-weight: 400; color: var(--ink); font-size: 13px;
  max-width: min(40ch, 40vw); overflow: hidden; text-overflow: ellipsis; position: sticky; left: 0;
  background: var(--card); }
table.heat th.turned { writing-mode: vertical-rl; padding-bottom: 6px; max-height: 24ch; overflow: hidden;
  text-overflow: ellipsis; vertical-align: bottom; }
table.heat td { width: 26px; min-width: 26px; height: 22px; text-align: center; border-radius: 4px; font-size: 12px;
  line-height: 22px; background: var(--page); }
table.heat td.ok, .legend i.ok, table.heat td.shade0, .legend i.shade0, table.heat td.shade1, .legend i.shade1 {
  background: var(--good-bg); color: var(--good); }
table.heat td.slow, .legend i.slow, table.heat td.shade2, .legend i.shade2, table.heat td.shade3, .legend i.shade3 {
  background: var(--warn-bg); color: var(--warn); }
table.heat td.broken, .legend i.broken, table.heat td.shade4, .legend i.shade4 {
  background: var(--bad-bg); color: var(--bad); font-weight: 700; }
.legend { margin: 12px 0 0; font-size: 13px; color: var(--soft); }
.legend i { display: inline-block; width: 22px; height: 20px; line-height: 20px; text-align: center; border-radius: 4px;
  font-style: normal; margin: 0 6px 0 0; background: var(--page); vertical-align: middle; }
.legend span { margin-right: 16px; white-space: nowrap; }
.plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(460px, 100%), 1fr)); gap: 8px 32px; }
.plots h3 { overflow-wrap: anywhere; }
svg.plot { height: auto; aspect-ratio: 640 / 200; overflow: visible; }
svg.plot text { fill: var(--soft); font-size: 12px; }
svg.plot line { stroke: var(--line); stroke-width: 1; }
svg.plot .band { fill: var(--bar); opacity: 0.25; stroke: none; }
svg.plot .actual { fill: none; stroke: var(--accent); stroke-width: 2; }
svg.plot .predicted { fill: none; stroke: var(--warn); stroke-width: 1.5; stroke-dasharray: 5 4; }
svg.plot circle.actual { fill: var(--accent); stroke: none; }
svg.plot circle.predicted { fill: var(--warn); stroke: none; }
.lead, ul.plain li { overflow-wrap: anywhere; }
details { margin: 4px 0 12px; font-size: 13px; color: var(--soft); }
"""
