"""Krapivin: whole ACM papers, keyphrases by their authors."""

from __future__ import annotations

from mderank.research.datasets.base import DatasetInfo, PaperInput, PaperStatistics

INFO = DatasetInfo(
    name="krapivin",
    description="Computer science papers published by ACM from 2003 to 2005, whole.",
    citation="Mikalai Krapivin, Aliaksandr Autaeu and Maurizio Marchese. Large Dataset for Keyphrases Extraction. "
    "Technical report DISI-09-055, University of Trento, 2009.",
    terms="No licence is stated with the files.",
    split="the first 460 of 2,304 papers, by their ids in string order",
    documents=460,
    keyphrases=2641,
    sha256="721c8ba279c5d0aeefec174e0170c978ca978af68dd33dc0a777410221db0215",
    place="https://github.com/LIAAD/KeywordExtractor-Datasets (datasets/Krapivin2009.zip)",
    import_command="mderank datasets import Krapivin2009.zip krapivin krapivin.jsonl.gz --first 460",
    paper_input=PaperInput(spaced_punctuation=True),
    paper=PaperStatistics(phrases=5.74, phrase_words=2.03, document_words=8544.57),
)
