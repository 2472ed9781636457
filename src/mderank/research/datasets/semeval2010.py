"""SemEval2010: abstracts of ACM papers, keyphrases by their authors and by readers of the whole paper."""

from __future__ import annotations

from mderank.research.datasets.base import DatasetInfo, PaperInput, PaperStatistics

INFO = DatasetInfo(
    name="semeval2010",
    description="Abstracts of conference papers in four fields of computer science. Readers chose their phrases from "
    "the whole paper: most are not in the abstract.",
    citation="Su Nam Kim, Olena Medelyan, Min-Yen Kan and Timothy Baldwin. SemEval-2010 Task 5: Automatic Keyphrase "
    "Extraction from Scientific Articles. SemEval 2010.",
    terms="No licence is stated with the files.",
    split="the 100 test papers of 244, abstracts only",
    documents=100,
    keyphrases=1520,
    sha256="960f8d7a9f94495668b6cd70e68846efc98c95d41ad2cc66b7c900fa2e475769",
    place="https://huggingface.co/datasets/memray/keyphrase",
    import_command="mderank datasets import semeval/test.json kpg semeval2010.jsonl",
    paper_input=PaperInput(spaced_punctuation=True),
    paper=PaperStatistics(phrases=15.07, phrase_words=2.11, document_words=189.90),
)
