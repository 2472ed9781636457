r"""LaTeX: commands are carried out or left out, and formulas are no words."""

from __future__ import annotations

import pytest

from mderank.errors import InputError
from mderank.reading import ReadOptions, read_file
from mderank.reading.tex import tex_text


@pytest.mark.parametrize(
    ("source", "text"),
    [
        (r"\section{Storm \emph{surges}} The tide.", "Storm surges\n\nThe tide."),
        (r"\textbf{storm} {\it surge}~model", "storm surge model"),
        ("one\ntwo % three\n  four\n\n\nfive", "one two four\n\nfive"),
        ("one % a\n\ntwo", "one\n\ntwo"),
        (r"50\% of R\&D \# \{a\_b\} \$5", "50% of R&D # {a_b} $5"),
        (r"``storm'' -- surge---tide", "“storm” – surge—tide"),
        (r"Schr\"odinger, Erd\H{o}s, na\"{\i}ve, \'Elan", "Schrödinger, Erdős, naïve, Élan"),
        (r"\ss, stra\ss e, \o re", "ß, straße, øre"),
        (r"\c{c}a \v s \~n \u{a}", "ça š ñ ă"),
        (r"coral\index{coral} reef\label{x}\vspace*{2cm}", "coral reef"),
        (r"the sea\footnote{Or $x$ the \emph{ocean}.} rises", "the sea rises\n\nOr x the ocean."),
        (r"\begin{itemize}\item one \item[two] three\end{itemize}", "one\n\n[two] three"),
        (r"\begin{tabular}{l|r}\hline a & b\\[2pt] c & \multicolumn{2}{c}{d} \\ \end{tabular}", "a | b\nc | d"),
        (r"\begin{tabular*}{1cm}[t]{@{\fill}lr}a&b\\ \cmidrule(lr){1-2} c & d\end{tabular*}", "a | b\nc | d"),
        (r"\begin{subfigure}[b]{0.3\textwidth}\caption{Tides}\end{subfigure}", "Tides"),
        (r"reefs\todo[inline]{ask Ann} \lstinline[language=C]|x_1|, \lstinline{y}", "reefs x_1, y"),
        (r"\begin{figure}[ht]\includegraphics[width=1cm]{a.png}\caption{Tides}\end{figure}", "Tides"),
        (r"\href{https://a.b}{the reef} at \url{https://a.b/c_d}", "the reef at https://a.b/c_d"),
        (r"\textcolor{red}{warm} \unknown[x]{water}{reef}", "warm water reef"),
        (r"\verb|x_1| and \LaTeX{} and $95\%$", "x_1 and LaTeX and 95%"),
        (r"$k$-means, $F_1@15$, \(\alpha\)-helix", "k-means, F1@15, α-helix"),
        (r"\begin{verbatim}x = 1\end{verbatim}tide\begin{comment}no\end{comment}", "tide"),
        (r"tide \begin{thebibliography}{9}\bibitem{a} Lee\end{thebibliography}", "tide"),
        (r"a\\b \\[1cm] c\,d e\-f", "a b c d ef"),
        (r"\title{Tides}\author{Ann Lee}\begin{abstract}Reefs\end{abstract}", "Tides\n\nReefs"),
        ("caf\\'e au lait", "café au lait"),
        (r"{\def\captype{none} \let\old=\new \def\two#1#2{no} tide}", "tide"),
    ],
)
def test_what_is_read(source, text):
    found = tex_text(source)
    assert found.text == text
    assert found.prose == text or "https" in text


@pytest.mark.parametrize(
    ("source", "text", "prose"),
    [
        ("see $x^2 + y$ here", "see $x^2 + y$ here", "see ,         here"),
        (r"so \(a_{ij}\) is", r"so \(a_{ij}\) is", "so ,          is"),
        (r"TextRank~\cite[p.~3]{lee, kim} won", "TextRank [lee, kim] won", "TextRank ,          won"),
        (r"\citet*{lee} in Table~\ref{tab:a}", "[lee] in Table [tab:a]", ",     in Table ,      "),
        (r"\begin{equation}\label{e} x \end{equation} so", "\\label{e} x\n\nso", ",          \n\nso"),
        (r"\[ x \] so $$y$$", r"\[ x \] so $$y$$", ",       so ,    "),
        (r"\input{part/one} so", "\\input{part/one}\n\nso", ",               \n\nso"),
    ],
)
def test_what_is_shown_and_is_not_prose(source, text, prose):
    assert tex_text(source) == (text, prose, None)


def test_of_the_preamble_only_the_title_is_read():
    source = r"""
\documentclass[11pt]{article}
\usepackage{reef} % $
\newcommand{\ours}{SurgeNet\xspace}
\newcommand{\tide}[1]{the #1 tide}
\title{Storm \emph{surges}\thanks{Paid} in \ours}
\author{Ann Lee \\ Reef Institute}
\date{1953}
\begin{document}
\maketitle
\ours{} reads gauges, and \ours reads wind.
\end{document}
nothing
"""
    assert tex_text(source).text == ("Storm surges in SurgeNet\n\nSurgeNet reads gauges, and SurgeNet reads wind.")


def test_definitions_do_not_multiply():
    source = "\\newcommand{\\a}{" + "x" * 80 + "}\\begin{document}" + "\\a " * 5_000
    with pytest.raises(InputError, match="--max-document-chars 1000"):
        tex_text(source, max_chars=1_000)


def test_a_file_is_extracted_text(tmp_path):
    file = tmp_path / "a.tex"
    file.write_text(r"\section{Storm surges} $x^2$")
    (source,) = read_file(file, ReadOptions())
    assert (source.text, source.prose) == ("Storm surges\n\n$x^2$", "Storm surges\n\n,    ")
    assert source.extracted


@pytest.mark.parametrize(
    "source",
    [
        "{" * 50_000, "}" * 50_000, "\\cite{" * 20_000, "$" * 50_001, "$x " * 30_001, "\\begin{verbatim}" * 9_000,
        "\\footnote{" * 9_000, "\\verb" + "".join(map(chr, range(0x4E00, 0x5E00))), "\\[" * 30_000, "%" * 50_000,
        "\\section{a" * 9_000, "\\" * 50_001, "\\'" * 30_000, "\\begin{tabular}" * 9_000, "\\a[" * 20_000,
        "~" * 90_000, "\\end{document}" * 5_000, "\\begin{document}" * 5_000, "\\footnote{a\n\n" * 5_000,
        "\\newcommand{\\a}" * 5_000,
    ],
    ids=lambda source: source[:12],
)  # fmt: skip
def test_sources_without_an_end(source):
    """Each is read, in time that benchmarks/linear_time.py measures."""
    found = tex_text(source + " reef")
    assert len(found.prose) == len(found.text)
    assert len(found.text) <= len(source) + 5
