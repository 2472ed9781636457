"""The page's style: light and dark, from a phone's width up."""

from __future__ import annotations

STYLE = """
:root { color-scheme: light dark; --ink: #1c2430; --dim: #5c6675; --paper: #fcfcfa; --rule: #dfe3e8; --shade: #f2f3f1;
  --on: #b04a00; --on-colour: #fff; --c0: #2563a8; --c1: #b8500a; --c2: #23774a; --c3: #9b3272; --c4: #7a6100;
  --c5: #5646b0; --c6: #00727d; --c7: #a82d26; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e8ee; --dim: #98a2b1; --paper: #14181f; --rule: #2b323d;
  --shade: #1c222b; --on: #ffb066; --on-colour: #10141a; --c0: #74adec; --c1: #f0954d; --c2: #63c48e; --c3: #e583b8;
  --c4: #d0b44e; --c5: #ada1f5; --c6: #54c8d1; --c7: #f3867c; } }
.c0 { --c: var(--c0); } .c1 { --c: var(--c1); } .c2 { --c: var(--c2); } .c3 { --c: var(--c3); }
.c4 { --c: var(--c4); } .c5 { --c: var(--c5); } .c6 { --c: var(--c6); } .c7 { --c: var(--c7); }
body { margin: 0; background: var(--paper); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
header, section { max-width: 76rem; margin: 0 auto; padding: 1.2rem 1.5rem; }
section { border-top: 1px solid var(--rule); }
h1 { font-size: 24px; margin: .3rem 0 .6rem; }
h2 { font-size: 19px; margin: .2rem 0 .8rem; overflow-wrap: anywhere; }
h3 { font-size: 15px; margin: 1.6rem 0 .5rem; overflow-wrap: anywhere; }
h4 { font-size: 13px; margin: .8rem 0 .2rem; overflow-wrap: anywhere; }
.methods { list-style: none; margin: 0; padding: 0; display: flex; flex-wrap: wrap; gap: .3rem 1.2rem; }
.methods li { overflow-wrap: anywhere; }
.chip { display: inline-block; min-width: 1.1em; padding: 0 .2em; border-radius: 3px; background: var(--c);
  color: var(--on-colour); font: 600 11px/1.45 system-ui, sans-serif; text-align: center; vertical-align: .1em; }
.notes { border-left: 3px solid var(--on); padding: .1rem 1rem; margin: 1rem 0 0; overflow-wrap: anywhere; }
.notes h2 { font-size: 15px; margin: .3rem 0; } .notes ul { margin: .3rem 0; padding-left: 1.1rem; }
.note { color: var(--on); }
.legend, .dim, small { color: var(--dim); } .legend { font-size: 13px; max-width: 60rem; margin: .5rem 0 1rem; }
.scroll { overflow-x: auto; } .scroll:focus-visible { outline: 2px solid var(--on); }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: 14px; }
caption { text-align: left; font-weight: 600; padding: .2rem 0 .4rem; }
th, td { padding: .22rem .7rem; text-align: right; white-space: nowrap; }
th:first-child { text-align: left; position: sticky; left: 0; background: var(--paper); padding-left: 0; }
th { font-weight: 500; } thead th { border-bottom: 1px solid var(--ink); color: var(--dim); }
tbody th { max-width: 40vw; overflow: hidden; text-overflow: ellipsis; }
.block th { font-weight: 600; padding-top: .8rem; max-width: none; overflow: visible; }
tbody tr:not(.block):hover > * { background: var(--shade); }
td sup { position: absolute; line-height: 1; } td u { text-underline-offset: 3px; }
.plots { display: grid; grid-template-columns: repeat(auto-fill, minmax(17rem, 1fr)); gap: 1rem 2rem; }
.plots:has(> :nth-child(4):last-child) { grid-template-columns: repeat(auto-fill, minmax(14rem, 1fr)); }
figure { margin: 0; } figcaption { font-weight: 600; font-size: 13px; overflow-wrap: anywhere; }
figure.wide { max-width: 40rem; }
svg { display: block; width: 100%; height: auto; font: 12px system-ui, sans-serif; overflow: visible; }
svg text { fill: var(--ink); } svg .tick { fill: var(--dim); font-size: 11px; }
svg .value { font-variant-numeric: tabular-nums; } svg .bar, svg .point { fill: var(--c); }
svg .grid { stroke: var(--rule); } svg .error { stroke: var(--ink); stroke-width: 1.3; }
svg .point { stroke: var(--paper); stroke-width: 1.5; }
details > summary { cursor: pointer; padding: .35rem 0; } summary:focus-visible { outline: 2px solid var(--on); }
fieldset { border: 1px solid var(--rule); border-radius: 4px; display: flex; flex-wrap: wrap; gap: .2rem 1.2rem;
  position: sticky; top: 0; background: var(--paper); z-index: 2; margin: 0; }
fieldset legend { color: var(--dim); font-size: 13px; }
.document { border-top: 1px solid var(--rule); } .document summary b { overflow-wrap: anywhere; }
.document .found { color: var(--dim); font-size: 13px; display: block; padding-left: 1rem; }
.columns { display: grid; grid-template-columns: minmax(0, 1fr) 22rem; gap: 0 2.5rem; padding-bottom: 1rem; }
.columns > div:only-child { grid-column: 1 / -1; max-width: 34rem; }
.text { font: 16px/1.65 Georgia, 'Times New Roman', serif; white-space: pre-wrap; overflow-wrap: anywhere; }
.gold { text-decoration: underline; text-decoration-thickness: 2px; text-underline-offset: 3px; }
mark { color: inherit; border-radius: 3px; --c: #e0a020; background: color-mix(in srgb, var(--c) 30%, transparent); }
.text .chip { font-size: 9px; min-width: .9em; margin: 0 0 0 1px; vertical-align: .5em; user-select: none; }
.ranks { width: 100%; font-size: 13px; } .ranks th, .ranks td { padding: .15rem .4rem; }
.ranks th:first-child { white-space: normal; overflow-wrap: anywhere; max-width: none; padding-left: 0; }
.lists { display: grid; grid-template-columns: repeat(auto-fill, minmax(10rem, 1fr)); gap: 0 1rem; font-size: 13px;
  padding-bottom: 1rem; }
.lists ol { margin: 0; padding-left: 1.6rem; color: var(--dim); overflow-wrap: anywhere; }
.lists strong { color: var(--ink); }
@media (max-width: 52rem) { header, section { padding: 1rem; } .columns { display: block; }
  tbody th { max-width: 38vw; white-space: normal; overflow-wrap: break-word; }
  .block th { max-width: none; white-space: nowrap; } fieldset { position: static; } }
"""
