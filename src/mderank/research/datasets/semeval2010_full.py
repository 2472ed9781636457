"""SemEval2010 in full text: the same papers and phrases, read to the end. Not one of the paper's six sets."""

from __future__ import annotations

from mderank.research.datasets.base import DatasetInfo, PaperInput

INFO = DatasetInfo(
    name="semeval2010_full",
    description="Conference papers in four fields of computer science, whole.",
    citation="Su Nam Kim, Olena Medelyan, Min-Yen Kan and Timothy Baldwin. SemEval-2010 Task 5: Automatic Keyphrase "
    "Extraction from Scientific Articles. SemEval 2010.",
    terms="No licence is stated with the files.",
    split="the 100 test papers of 244",
    documents=100,
    keyphrases=1520,
    sha256="05486df38ab7f2b8be908c4c54c848671deda6f9a8ba41466ff253371aa2518e",
    place="https://github.com/LIAAD/KeywordExtractor-Datasets (datasets/SemEval2010.zip)",
    import_command="mderank datasets import SemEval2010.zip docs-keys semeval2010_full.jsonl.gz --ids TEST_IDS.txt",
    paper_input=PaperInput(spaced_punctuation=True),
)
