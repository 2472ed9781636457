"""The page's style: light and dark, from a phone's width up."""

from __future__ import annotations

STYLE = """
:root { color-scheme: light dark; --ink: #1c2430; --dim: #5c6675; --paper: #fcfcfa; --rule: #dfe3e8; --shade: #f2f3f1;
  --mark: #e0a020; --on: #b04a00; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e8ee; --dim: #98a2b1; --paper: #14181f; --rule: #2b323d;
  --shade: #1c222b; --mark: #c98a14; --on: #ffb066; } }
body { margin: 0; background: var(--paper); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
header, main { max-width: 76rem; margin: 0 auto; padding: 1.2rem 1.5rem; }
header { padding-bottom: 0; } header p { color: var(--dim); margin: 0; overflow-wrap: anywhere; }
h1 { font-size: 24px; margin: .3rem 0 .3rem; } h2 { font-size: 21px; margin: 0 0 .8rem; overflow-wrap: anywhere; }
h3 { font-size: 14px; color: var(--dim); font-weight: 500; margin: 1.4rem 0 .4rem; }
main { display: grid; grid-template-columns: 22rem minmax(0, 1fr); gap: 0 3rem; }
fieldset { border: 0; border-bottom: 1px solid var(--rule); margin: 0 0 .4rem; padding: .3rem 0 .5rem;
  display: flex; flex-wrap: wrap; gap: .2rem .9rem; font-size: 14px; }
legend { position: absolute; clip-path: inset(50%); } input { accent-color: var(--on); }
nav ol { display: none; list-style: none; margin: 0; padding: 0; max-height: calc(100vh - 10rem); overflow: auto; }
nav li a { display: grid; grid-template-columns: 1fr auto; gap: 0 .6rem; padding: .28rem .4rem; color: inherit;
  text-decoration: none; border-radius: 4px; overflow-wrap: anywhere; }
nav li a:hover, nav li a:focus-visible { background: var(--shade); }
.value, small { color: var(--dim); font-variant-numeric: tabular-nums; font-size: 13px; }
.bar { grid-column: 1 / -1; height: 3px; border-radius: 2px; background: var(--mark); width: var(--width); }
.cards { position: sticky; top: 1rem; align-self: start; max-height: calc(100vh - 2rem); overflow: auto; }
.card { display: none; scroll-margin-top: 1rem; } .card:target { display: block; }
.cards:has(.card:target) .welcome { display: none; } .welcome { max-width: 40rem; color: var(--dim); }
.welcome h2 { color: var(--ink); }
dl { display: flex; flex-wrap: wrap; gap: .6rem 2.2rem; margin: 0; } dt { color: var(--dim); font-size: 13px; }
dd { margin: 0; font-size: 19px; font-variant-numeric: tabular-nums; }
.variants { list-style: none; margin: 0; padding: 0; display: flex; flex-wrap: wrap; gap: .3rem .5rem; }
.variants li { background: var(--shade); border-radius: 4px; padding: .1rem .5rem; overflow-wrap: anywhere; }
a { color: var(--on); text-underline-offset: 3px; }
a:focus-visible, input:focus-visible { outline: 2px solid var(--on); outline-offset: 1px; }
table { border-collapse: collapse; font-size: 14px; width: 100%; }
th { text-align: left; font-weight: 500; color: var(--dim); border-bottom: 1px solid var(--rule); }
th, td { padding: .22rem .8rem .22rem 0; vertical-align: top; overflow-wrap: anywhere; }
td:nth-child(n + 2) { font-variant-numeric: tabular-nums; color: var(--dim); }
td:nth-child(2) { white-space: nowrap; }
.ranked { margin: 0; padding-left: 1.8rem; }
@media (max-width: 52rem) { main { display: flex; flex-direction: column-reverse; gap: 1rem; padding: 1rem; }
  .cards { position: static; max-height: none; align-self: stretch; } .welcome ul { display: none; }
  nav ol { max-height: none; } }
"""
