"""Inspec: abstracts of computer science journals, keyphrases by professional indexers."""

from __future__ import annotations

from mderank.research.datasets.base import DatasetInfo, PaperInput, PaperStatistics

INFO = DatasetInfo(
    name="inspec",
    description="Abstracts of journal papers in computing and information technology, 1998 to 2002. "
    "The gold phrases are the indexers' uncontrolled terms.",
    citation="Anette Hulth. Improved Automatic Keyword Extraction Given More Linguistic Knowledge. EMNLP 2003.",
    terms='Research use, with the acknowledgement "Data from the Inspec Database kindly supplied by The IET".',
    split="the 500 test abstracts of 2,000",
    documents=500,
    keyphrases=4912,
    sha256="07fb1abc35eff75494b5aca2b26802d9eea59d0a983fa018911ce8985058e493",
    place="https://github.com/sunyilgdx/SIFRank/tree/master/data/Inspec",
    import_command="mderank datasets import SIFRank/data/Inspec inspec inspec.jsonl",
    paper_input=PaperInput(title=True, no_percent=True),
    paper=PaperStatistics(phrases=9.82, phrase_words=2.31, document_words=121.84),
)
