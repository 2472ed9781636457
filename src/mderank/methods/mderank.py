"""MDERank: masks to embeddings to scores.

Zhang et al. (2022), "MDERank: A masked document embedding rank approach for unsupervised keyphrase extraction",
Findings of ACL. A phrase matters if the document's embedding changes when the phrase is masked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Self, Unpack

import numpy as np

from mderank.candidates import NounPhrases
from mderank.encoding import BUNDLED_MODEL, Embeddings, Encoder
from mderank.masking import MASKINGS, Mask, MaskAll, Masking
from mderank.methods.encoder_base import MODEL
from mderank.methods.guided import GuidedExtractor, GuidedOptions, guide_scores
from mderank.methods.scores import CandidateScores, ScoringInput
from mderank.parameters import Param, check_arguments
from mderank.presets import PAPER
from mderank.ranking import SimilarityName, masked_similarity
from mderank.tagging import load_tagger


class MDERankOptions(GuidedOptions, total=False):
    """The options of `MDERank` beside the model."""

    masking: Masking | None


class MDERank(GuidedExtractor):
    """Ranks the phrases of a text by how much masking them changes the text's embedding.

    >>> extractor = MDERank()
    >>> keyphrases = extractor.extract("Masked language models fill gaps in a text. Language models learn from gaps.")
    >>> keyphrases[0].text, keyphrases[0].spans
    ('language models', (Span(start=7, end=22), Span(start=44, end=59)))
    >>> [len(keyphrases) for keyphrases in extractor.extract_many(["A red fox ran.", "", "A lazy dog slept."])]
    [1, 0, 1]

    Candidates, masking and diversity are small objects: ``candidates=NGrams(1, 3)``, ``masking=MaskSubset()``,
    ``diversity=MMR(diversity=0.3)``. ``max_words`` and ``max_tokens`` read only the beginning of a text;
    `Keyphrases.truncated` has the part that was not read.

    1. Tag the text and find the candidates (`BaseExtractor`).
    2. Hide each of them: as many mask tokens as it has tokens.
    3. Embed the document, and find the change of its embedding under each mask.
    4. Score 1 − cos(E(d), E(d_M)); of several masks of a candidate the strongest counts.
    5. With ``seeds``, embed them too, and score (1 − w) · score + w · m · cos(E(s), h_c). Here h_c is the mean hidden
       state of what the strongest mask hides, s the nearest seed, w their weight, and m the largest score of the text.

    The score, the candidates' tag pattern and the maskings are the paper's. Six defaults are ours. ``--preset paper``
    (`MDERank.paper`) sets the paper's values, given here in brackets:

    - One encoder pass for all masks [every masked document encoded].
    - The bundled encoder, MiniLM-L6 [bert-base-uncased].
    - Mean pooling for sentence encoders such as MiniLM-L6 [max pooling].
    - Texts of any length, in windows [the first 512 words, and of these the first 512 tokens].
    - Candidates of at most eight words [of any length].
    - Forms with the same stems are one entry [forms that differ in case only].

    Two things are ours with the preset too. The tagger is spaCy's English pipeline; the authors used Stanford CoreNLP.
    The list of stop words is our own. So candidates may differ from the authors'. docs/paper.md has more.

    Args:
        model: Name or folder of a model, or an `Encoder`; see `load_encoder`.
        masking: Which occurrences each candidate hides, such as ``MaskSubset()``; None for `MaskAll`.
        tagger: A tagger, its name, or a loaded spaCy pipeline; None for the bundled one, of English.
        candidates: The source of candidates, or a list of phrases; None for noun phrases.
        dedupe: Which surface forms are one keyphrase: "none", "case", "variant" or "stem".
        overlap: How much keyphrases may overlap: "any", "little" or "none"; None for "any".
        diversity: How the best are selected, such as ``MMR(diversity=0.4)``; None selects by score alone.
        min_score: The lowest score of a keyphrase; None for no limit.
        max_words: Number of words of a text to read; None for all.
        exclude: Phrases that are never returned, in any case or form.
        pooling: How hidden states become an embedding: "mean", "max" or "cls"; None for what suits the encoder.
        layer: Number of the layer; negative numbers count from the last. None for the last.
        similarity: How embeddings are compared: "cosine" or "euclidean".
        exact: Encode every masked variant whole, as in the paper, which takes many times longer.
        batch_tokens: Number of tokens that exact masking computes at once; None for what suits the device.
        max_tokens: Number of tokens of a text to read, special tokens included; None for all.
        seeds: Phrases that pull the ranking towards a topic, in texts that come without seeds of their own.
        seed_weight: How much seeds count, from 0 (not at all) to 1 (nothing else counts); None for 0.5.

    Raises:
        ModelError: If the model cannot be loaded.
        OptionError: If an option has the wrong type, is out of range or does not suit the others.
    """

    @check_arguments
    def __init__(
        self,
        model: Annotated[str | Path | Encoder, MODEL] = BUNDLED_MODEL,
        *,
        masking: Annotated[Masking | None, Param(expects="a masking such as MaskAll() or MaskSubset()")] = None,
        **options: Unpack[GuidedOptions],
    ) -> None:
        super().__init__(model, **options)
        self.masking: Masking = masking or MaskAll()

    @classmethod
    def paper(cls, model: str | Path | Encoder = PAPER.model or "", **changes: Unpack[MDERankOptions]) -> Self:
        """Make an extractor with the settings of the paper, as ``--preset paper`` does on the command line.

        These are ``exact=True``, masking `MaskAll`, max pooling, the last layer, cosine, candidates of any length and
        ``dedupe="case"``. Of a text the first 512 words are read, and of these the first 512 tokens. docs/paper.md
        lists the differences from the authors' program that remain.

        >>> extractor = MDERank.paper("minilm-l6", max_words=None)
        >>> extractor.exact, extractor.pooling, extractor.dedupe, extractor.max_words, extractor.max_tokens
        (True, 'max', 'case', None, 512)

        Args:
            model: Name or folder of a model, or an `Encoder`; see `load_encoder`.
            **changes: Other options of `MDERank`, which replace the settings of the paper. A ``tagger`` given by name
                keeps the words of its pipeline, which are nearest to the authors'.

        Returns:
            The extractor.

        Raises:
            ModelError: If the model cannot be loaded.
            OptionError: If an option has the wrong type, is out of range or does not suit the others.
        """
        options: Any = {
            name: value
            for name, value in PAPER.given().items()
            if name in ("exact", "pooling", "similarity", "max_words", "max_tokens", "dedupe")
        }
        options["candidates"] = NounPhrases(max_phrase_words=PAPER.max_phrase_words or None)
        options["masking"] = MASKINGS[PAPER.masking or "all"]
        options["tagger"] = None
        options.update(changes)
        named = options["tagger"]
        if named is None or isinstance(named, str):
            options["tagger"] = load_tagger(named, tokenizer=PAPER.tokenizer)
        return cls(model, **options)

    def _score(self, inputs: Sequence[ScoringInput]) -> list[CandidateScores]:
        masks = [self.masking.masks(item.document, item.candidates) for item in inputs]
        embeddings = self._embed(
            inputs,
            [[mask for each in own for mask in each] for own in masks],
            [self._seeds_of(item) for item in inputs],
        )
        return [self._guide(*each) for each in zip(inputs, masks, embeddings, strict=True)]

    def _guide(self, item: ScoringInput, masks: list[list[Mask]], embeddings: Embeddings) -> CandidateScores:
        """Score the candidates of a text, with its seeds if it has any."""
        strongest, scored = _strongest(masks, embeddings, self.similarity)
        if not len(embeddings.phrases) or not len(strongest):
            return scored
        contexts = np.vstack([embeddings.contexts, np.zeros((1, embeddings.contexts.shape[1]))])[strongest]
        near = self._near_seeds(item, contexts, embeddings.phrases)
        terms = replace(scored, contributions={"mask_effect": scored.scores})
        return guide_scores(terms, near, self._weight_of(item), float(scored.scores.max()))


def _strongest(
    masks: list[list[Mask]], embeddings: Embeddings, similarity: SimilarityName
) -> tuple[list[int], CandidateScores]:
    """For each candidate its strongest mask, and what that did; a candidate without any changed nothing."""
    similarities, scores = masked_similarity(embeddings.document, embeddings.changes, similarity)
    _, changes = masked_similarity(embeddings.document, embeddings.changes, "cosine")
    unchanged, _ = masked_similarity(embeddings.document, np.zeros((1, len(embeddings.document))), similarity)
    strongest = []
    start = 0
    for some in masks:
        strongest.append(start + int(np.argmax(scores[start : start + len(some)])) if some else len(scores))
        start += len(some)
    return strongest, CandidateScores(
        np.append(scores, 0.0)[strongest],
        np.append(similarities, unchanged)[strongest],
        np.vstack([embeddings.changes, np.zeros((1, embeddings.changes.shape[1]))])[strongest],
        [bool(some) for some in masks],
        features={"mask_effect": np.append(changes, 0.0)[strongest]},
    )
