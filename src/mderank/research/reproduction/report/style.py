"""What the page needs beyond the style of comparisons."""

from __future__ import annotations

OWN_STYLE = """
svg .path { stroke: var(--c); stroke-width: 1.6; fill: none; }
svg .ring { fill: var(--paper); stroke: var(--c); stroke-width: 1.8; }
nav { display: flex; flex-wrap: wrap; gap: .2rem 1rem; margin: .6rem 0; } a { color: var(--c0); }
.cells td, .cells th { vertical-align: top; } .cells td { line-height: 1.25; padding: .25rem .55rem; }
.cells span { display: block; min-height: 1.25em; } .cells .p { color: var(--dim); } .cells .o { font-weight: 600; }
.cells .up { color: var(--c2); } .cells .down { color: var(--c7); } .cells .same { color: var(--dim); }
.cells .here, .claims .here { display: block; color: var(--dim); font-weight: 400; font-size: 12px;
  white-space: normal; }
.cells tbody th { max-width: 15rem; white-space: normal; overflow: visible; }
.claims td, .claims th { vertical-align: top; text-align: left; white-space: normal; padding: .35rem .8rem .35rem 0; }
.claims tbody th { max-width: none; min-width: 14rem; }
.claims details { font-size: 13px; color: var(--dim); } .claims li { margin: .2rem 0; }
.claims ul { margin: .2rem 0; padding-left: 1.1rem; }
.verdict { display: inline-block; padding: 0 .5em; border-radius: 3px; color: var(--on-colour); font-weight: 600;
  white-space: nowrap; } .yes { background: var(--c2); } .no { background: var(--c7); } .open { background: var(--c4); }
.never { background: none; color: var(--dim); border: 1px solid var(--rule); font-weight: 400; }
.ranking th { text-align: left; }
.ranking td { vertical-align: top; text-align: left; white-space: normal; min-width: 12rem; }
.ranking ol { margin: 0; padding-left: 1.3rem; } .key { display: flex; gap: 1.4rem; flex-wrap: wrap; }
.key svg { width: 12px; height: 12px; display: inline-block; vertical-align: -1px; }
.stands td { text-align: left; white-space: normal; } .stands th { vertical-align: top; }
code { font-size: 12px; overflow-wrap: anywhere; } .runs td, .runs th { text-align: left; white-space: normal; }
.lines { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(26rem, 100%), 1fr)); gap: 1rem 2rem; }
"""
