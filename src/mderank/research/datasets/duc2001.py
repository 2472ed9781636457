"""DUC2001: newspaper articles, keyphrases by two students."""

from __future__ import annotations

from mderank.research.datasets.base import DatasetInfo, PaperInput, PaperStatistics

INFO = DatasetInfo(
    name="duc2001",
    description="Newswire and newspaper articles on 30 topics, of the summarization task of DUC 2001.",
    citation="Xiaojun Wan and Jianguo Xiao. Single Document Keyphrase Extraction Using Neighborhood Knowledge. "
    "AAAI 2008.",
    terms="The articles are under their newspapers' copyright; no licence is stated with the files.",
    split="307 of the 308 articles: the source has no more",
    documents=307,
    keyphrases=2479,
    sha256="d66edd1a26d40d02966578c32ba43125135e028e9ba342feedaa317dafc0bebf",
    place="https://github.com/sunyilgdx/SIFRank/tree/master/data/DUC2001",
    import_command="mderank datasets import SIFRank/data/DUC2001 duc2001 duc2001.jsonl",
    paper_input=PaperInput(lower_case=True),
    paper=PaperStatistics(phrases=8.08, phrase_words=2.07, document_words=724.63),
)
