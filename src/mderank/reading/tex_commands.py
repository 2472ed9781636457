"""The commands and environments of LaTeX that the reader knows."""

from __future__ import annotations

import re
import unicodedata

HEADINGS = frozenset(
    "part chapter section subsection subsubsection paragraph subparagraph title subtitle caption captionof frametitle "
    "framesubtitle abstract keywords".split()
)
_DROPPED = {  # commands whose first arguments are left out, by the number of these arguments
    1: (
        "acks addbibresource address affil affiliation arraystretch author bibitem bibliography bibliographystyle "
        "captionsetup ccsdesc cline cmidrule color colorbox date DeclareMathOperator documentclass email fontsize "
        "foreignlanguage glsadd graphicspath href hskip hspace hyperlink hypersetup hypertarget hyphenation "
        "includegraphics index institute label linespread lstinputlisting markboth newtheorem nocite orcid "
        "pagenumbering pagestyle parbox path pgfplotsset phantomsection raisebox received RequirePackage rotatebox "
        "scalebox selectlanguage textcolor thanks todo theoremstyle thispagestyle tikzset usepackage vskip vspace"
    ),
    2: (
        "addcontentsline addtocounter addtolength adjustbox fcolorbox multicolumn multirow newcommand newenvironment "
        "providecommand renewcommand resizebox rule setcounter setlength"
    ),
    3: "DeclareRobustCommand useunder",
}
DROPPED_ARGUMENTS = {name: count for count, names in _DROPPED.items() for name in names.split()}
REFERENCES = re.compile(r"(?:full|foot|paren|text|auto|smart|short|super)?[cC]ite\w*|(?:eq|auto|page|name|[cCv])?ref")
INPUTS = frozenset(("input", "include", "subfile"))
DISPLAYED = frozenset("equation align gather multline eqnarray displaymath alignat flalign dmath math".split())
# Environments that are not text.
NOT_TEXT = frozenset(
    "equation align gather multline eqnarray displaymath math alignat flalign split dmath verbatim "
    "Verbatim lstlisting minted tikzpicture algorithmic algorithm2e picture pgfpicture comment filecontents "
    "thebibliography CCSXML code alltt forest prooftree tikzcd Shaded Highlighting".split()
)
TABLES = {"tabular": 1, "tabularx": 2, "tabulary": 2, "longtable": 1, "array": 1, "supertabular": 1, "tabu": 1}
ENVIRONMENT_ARGUMENTS = {**TABLES, "minipage": 1, "multicols": 1, "wrapfigure": 2, "wraptable": 2, "list": 2,
                          "adjustbox": 1, "columns": 0, "column": 1, "tcolorbox": 0, "spacing": 1,
                          "tabular*": 2, "subfigure": 1, "subtable": 1, "turn": 1, "rotate": 1}  # fmt: skip
ACCENTS = {"'": "\u0301", "`": "\u0300", "^": "\u0302", '"': "\u0308", "~": "\u0303", "=": "\u0304", ".": "\u0307",
            "c": "\u0327", "v": "\u030c", "u": "\u0306", "H": "\u030b", "k": "\u0328", "r": "\u030a", "d": "\u0323",
            "b": "\u0331"}  # fmt: skip
NAMED = {"ss": "ß", "o": "ø", "O": "Ø", "ae": "æ", "AE": "Æ", "oe": "œ", "OE": "Œ", "aa": "å", "AA": "Å", "l": "ł",
          "L": "Ł", "i": "ı", "ldots": "…", "dots": "…", "textellipsis": "…", "LaTeX": "LaTeX", "TeX": "TeX",
          "BibTeX": "BibTeX", "textendash": "–", "textemdash": "—", "textquotesingle": "'", "textasciitilde": "~",
          "textbackslash": "\\", "textunderscore": "_", "textregistered": "®", "texttrademark": "™", "S": "§",
          "copyright": "©", "pounds": "£", "euro": "€", "textdegree": "°", "degree": "°", "textmu": "µ", "quad": " ",
          "qquad": " ", "space": " ", "textquotedblleft": "“", "textquotedblright": "”", "textquoteright": "’",
          "textquoteleft": "‘", "slash": "/", "eg": "e.g.", "ie": "i.e.", "etal": "et al."}  # fmt: skip
GREEK = {name: unicodedata.lookup(f"GREEK SMALL LETTER {'LAMDA' if name == 'lambda' else name.upper()}")
          for name in "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau "
                      "upsilon phi chi psi omega".split()}  # fmt: skip
BREAKS = frozenset("item par newline linebreak newpage clearpage maketitle bigskip medskip smallskip hline toprule "
                    "midrule bottomrule appendix bibitem".split())  # fmt: skip
DEFINING = frozenset("def gdef edef xdef let".split())
NOTES = frozenset(("footnote", "footnotetext", "marginpar"))
