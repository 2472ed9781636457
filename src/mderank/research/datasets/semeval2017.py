"""SemEval2017: paragraphs of science papers, keyphrases marked in them by a student and an expert."""

from __future__ import annotations

from mderank.research.datasets.base import DatasetInfo, PaperInput, PaperStatistics

INFO = DatasetInfo(
    name="semeval2017",
    description="Paragraphs of ScienceDirect papers in computer science, material science and physics. "
    "The gold phrases are spans of the paragraph, some of them clauses.",
    citation="Isabelle Augenstein et al. SemEval 2017 Task 10: ScienceIE - Extracting Keyphrases and Relations from "
    "Scientific Publications. SemEval 2017.",
    terms="No licence is stated with the files; the paragraphs are from open access papers.",
    split="all 493 paragraphs of the training, development and test parts",
    documents=493,
    keyphrases=8529,
    sha256="e07fc9b27df0888f0d2d590457bc427dd112946d233bc6e3fba5d096a3d59be9",
    place="https://github.com/sunyilgdx/SIFRank/tree/master/data/SemEval2017",
    import_command="mderank datasets import SIFRank/data/SemEval2017 docs-keys semeval2017.jsonl",
    paper_input=PaperInput(lower_case=True, no_percent=True),
    paper=PaperStatistics(phrases=17.30, phrase_words=3.00, document_words=170.38),
)
