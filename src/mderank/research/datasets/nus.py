"""NUS: whole conference papers, keyphrases by their authors and by student readers."""

from __future__ import annotations

from mderank.research.datasets.base import DatasetInfo, PaperInput, PaperStatistics

INFO = DatasetInfo(
    name="nus",
    description="Computer science conference papers of 4 to 12 pages, whole.",
    citation="Thuy Dung Nguyen and Min-Yen Kan. Keyphrase Extraction in Scientific Publications. ICADL 2007.",
    terms="No licence is stated with the files.",
    split="all 211 papers; authors' and readers' phrases together",
    documents=211,
    keyphrases=2448,
    sha256="ba39084c02b24049fc33e3320ac22d18931702ae6fd474c5cad77ebcaf93e1ad",
    place="https://github.com/sunyilgdx/SIFRank/tree/master/data/NUS",
    import_command="mderank datasets import SIFRank/data/NUS nus nus.jsonl.gz",
    paper_input=PaperInput(spaced_punctuation=True),
    paper=PaperStatistics(phrases=11.66, phrase_words=2.07, document_words=7702.00),
)
