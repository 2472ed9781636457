"""How long a phrase's vector is beside its document's: why Euclidean distance suits EmbedRank on some encoders only.

``python benchmarks/vector_lengths.py minilm-l6 MODEL …``: for every encoder, over 20 abstracts of Inspec, the mean
length of the phrases' vectors divided by that of the document's, both with the encoder's own pooling.
"""

from __future__ import annotations

import sys

import numpy as np

from common import abstracts, tag
from mderank import load_encoder
from mderank.candidates import NounPhrases
from mderank.document import Document
from mderank.encoding import Encoder, Request, embed

ABSTRACTS = 20


def ratios(encoder: Encoder, documents: list[Document]) -> list[float]:
    """For every document the mean length of its candidates' vectors, with its own as one."""
    requests = []
    for document in documents:
        forms = [document.text.surface_form(each.occurrences[0].span) for each in NounPhrases().find(document)]
        phrases = [encoder.tokenize(form) for form in forms]
        requests.append(Request(encoder.tokenize(document.text), document.sentence_ends(), phrases=phrases))
    spec = encoder.spec
    embeddings = embed(encoder, requests, pooling=spec.pooling, layer=spec.layers, exact=not spec.one_pass)
    return [float(np.linalg.norm(each.phrases, axis=1).mean() / np.linalg.norm(each.document)) for each in embeddings]


def main() -> None:
    if len(sys.argv) < 2:
        sys.exit("usage: python benchmarks/vector_lengths.py MODEL …")
    documents = tag(abstracts(ABSTRACTS))
    for model in sys.argv[1:]:
        found = ratios(load_encoder(model), documents)
        print(f"{model}: {np.mean(found):.2f} (documents: {min(found):.2f} to {max(found):.2f})")


if __name__ == "__main__":
    main()
