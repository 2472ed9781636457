"""What the paper says in words, as claims that can be tested: for one form of MDERank."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mderank.reproduction.claims import DIVERSITY, F1, F1_ONE_WORD_LAST, ONE_WORD_RECALL, WORDS, Claim, Contrast
from mderank.reproduction.paper import LONG, SETS
from mderank.reproduction.setup import FORMS, Form, Model, Setup
from mderank.reproduction.tables import document_length, layers, long_documents, similarity
from mderank.reproduction.tables.masking import MASKINGS, masked
from mderank.reproduction.wanted import Wanted

Runs = Callable[[str], Wanted]


def claims(setup: Setup, form: Form) -> list[Claim]:
    """All of them, in the paper's order."""
    return [
        *_main(setup, form),
        *_kpebert(setup, form),
        _phrase_length(setup, form),
        _document_length(setup, form),
        *_layers(setup, form),
        *_long(setup, form),
        _theta(setup, form),
        _masking(setup, form),
        _similarity(setup, form),
        _diversity(setup, form),
        *_one_pass(setup, form),
    ]


def _on(datasets: Sequence[str], runs: Runs) -> tuple[Wanted, ...]:
    return tuple(map(runs, datasets))


def _main(setup: Setup, form: Form) -> list[Claim]:
    def mderank(dataset: str) -> Wanted:
        return setup.mderank(dataset, form)

    def ahead(says: str, what: str, datasets: Sequence[str], rival: Runs) -> Claim:
        return Claim(says, "table3", (Contrast(what, _on(datasets, mderank), _on(datasets, rival)),))

    inspec = (mderank("inspec"),)
    moved = Contrast("one-word candidates last − as ranked, Inspec", inspec, inspec, F1_ONE_WORD_LAST, of_second=F1)
    return [
        ahead("MDERank is ahead of EmbedRank on average", "MDERank − EmbedRank, six sets", SETS, setup.embedrank),
        ahead("MDERank is ahead of EmbedRank on long documents", "MDERank − EmbedRank, Krapivin and NUS", LONG,
              setup.embedrank),
        ahead("MDERank is ahead of SIFRank on average", "MDERank − SIFRank, six sets", SETS, setup.sifrank),
        Claim("On Inspec MDERank gains if candidates of one word are moved to the end", "table3", (moved,)),
    ]  # fmt: skip


def _kpebert(setup: Setup, form: Form) -> list[Claim]:
    def runs(model: Model | None) -> tuple[Wanted, ...]:
        return _on(SETS, lambda each: setup.mderank(each, form, model=model)) if model else ()

    plain = runs(setup.encoder)
    ab, re = (runs(setup.kpe.get(sampling)) for sampling in ("ab", "re"))
    return [
        Claim(
            "KPEBERT is ahead of BERT",
            "table3",
            (
                Contrast("KPEBERT ab − BERT, six sets", ab, plain),
                Contrast("KPEBERT re − BERT, six sets", re, plain),
            ),
        ),
        Claim(
            "Absolute and relative sampling are alike",
            "table3",
            (Contrast("KPEBERT ab − KPEBERT re, six sets", ab, re, alike=True),),
        ),
    ]


def _phrase_length(setup: Setup, form: Form) -> Claim:
    embedrank, mderank = _on(SETS, setup.embedrank), _on(SETS, lambda each: setup.mderank(each, form))
    return Claim(
        "EmbedRank is biased towards long phrases, MDERank less",
        "table4",
        (
            Contrast("EmbedRank − MDERank, six sets", embedrank, mderank, WORDS),
            Contrast("MDERank − EmbedRank, six sets", mderank, embedrank, ONE_WORD_RECALL),
        ),
    )


def _document_length(setup: Setup, form: Form) -> Claim:
    few, many = (document_length.cut(words) for words in (128, 512))
    dataset = document_length.SET
    return Claim(
        "With the length of the document EmbedRank falls and MDERank rises",
        "table5",
        (
            Contrast("EmbedRank, 128 words − 512 words, NUS", (setup.embedrank(dataset, *few),),
                     (setup.embedrank(dataset, *many),)),
            Contrast("MDERank, 512 words − 128 words, NUS", (setup.mderank(dataset, form, *many),),
                     (setup.mderank(dataset, form, *few),)),
        ),
    )  # fmt: skip


def _layers(setup: Setup, form: Form) -> list[Claim]:
    low, middle, last = setup.encoder.depths()
    dataset = layers.SET

    def mderank(pooling: str, layer: int) -> tuple[Wanted, ...]:
        return (setup.mderank(dataset, form, *layers.options(setup, pooling, layer)),)

    def embedrank(pooling: str, layer: int) -> tuple[Wanted, ...]:
        return (setup.embedrank(dataset, *layers.options(setup, pooling, layer)),)

    def gain(pooling: str, layer: int) -> Contrast:
        says = f"MDERank, {pooling} pooling, layer {last} − layer {layer}, DUC2001"
        return Contrast(says, mderank(pooling, last), mderank(pooling, layer))

    lower = [layer for layer in dict.fromkeys((low, middle)) if layer != last]
    best = [gain(pooling, layer) for pooling in layers.POOLINGS for layer in lower]
    rivals = layers.lowest(setup).runs()
    return [
        Claim("MDERank is best with the last layer", "table6", tuple(best)),
        Claim(
            "With the layers EmbedRank falls (average pooling) and MDERank rises",
            "table6",
            (
                Contrast(f"EmbedRank, mean pooling, layer {low} − layer {last}, DUC2001", embedrank("mean", low),
                         embedrank("mean", last)),
                *(gain(pooling, low) for pooling in layers.POOLINGS if low != last),
            ),
        ),
        Claim(
            "Average pooling is ahead of max pooling",
            "table6",
            (
                Contrast("EmbedRank, mean − max, last layer, DUC2001", embedrank("mean", last), embedrank("max", last)),
                Contrast("MDERank, mean − max, last layer, DUC2001", mderank("mean", last), mderank("max", last)),
            ),
        ),
        Claim(
            "EmbedRank with average pooling and a low layer stays behind MDERank on average",
            "table6",
            (Contrast(f"MDERank − EmbedRank (mean pooling, layer {low}), six sets",
                      _on(SETS, lambda each: setup.mderank(each, form)), rivals),),
        ),
    ]  # fmt: skip


def _long(setup: Setup, form: Form) -> list[Claim]:
    model, long = setup.encoder, setup.long_encoder
    further = {dataset: lengths[-1] for dataset, lengths in long_documents.LENGTHS.items()}
    title = " and ".join(f"{words} ({dataset})" for dataset, words in further.items())

    def reading(model: Model | None, words: Callable[[str], int | None], method: str) -> tuple[Wanted, ...]:
        if model is None:
            return ()
        asked = {each: long_documents.beyond(model, words(each)) for each in further}
        if method == "embedrank":
            return tuple(setup.embedrank(each, *options, model=model) for each, options in asked.items())
        exact: Form = "exact" if model is long else form
        return tuple(setup.mderank(each, exact, *options, model=model) for each, options in asked.items())

    def to_512(_: str) -> int:
        return 512

    def longer(reader: Model | None, called: str, usual: str) -> tuple[Contrast, Contrast]:
        """MDERank gains by more than 512 words, EmbedRank loses."""
        return (
            Contrast(
                f"MDERank, {called}, {title} words − {usual}512 words",
                reading(reader, further.get, "mderank"),
                reading(model, to_512, "mderank"),
            ),
            Contrast(
                f"EmbedRank, {called}, 512 words − {title} words",
                reading(reader, to_512, "embedrank"),
                reading(reader, further.get, "embedrank"),
            ),
        )

    says = "An encoder for long texts gains on long documents, for MDERank and not for EmbedRank"
    claims = [Claim(says, "table7", longer(long, "long encoder", "BERT, "))]
    if form == "one pass":
        says = "In windows the usual encoder gains on long documents too, for MDERank and not for EmbedRank"
        claims.append(Claim(says, "table7", longer(model, "windows", ""), ours=True))
        contrast = Contrast(
            "MDERank, whole text − 512 words, NUS and Krapivin",
            reading(model, lambda _: None, "mderank"),
            reading(model, to_512, "mderank"),
        )
        claims.append(Claim("Windows over the whole text gain on long documents", "table7", (contrast,), ours=True))
    return claims


def _theta(setup: Setup, form: Form) -> Claim:
    def runs(teacher: str) -> tuple[Wanted, ...]:
        model = setup.kpe_by(teacher)
        return _on(SETS, lambda each: setup.mderank(each, form, model=model)) if model else ()

    contrast = Contrast("KPEBERT by YAKE − KPEBERT by TextRank, six sets", runs("yake"), runs("textrank"))
    return Claim("YAKE is a better θ than TextRank", "table8", (contrast,))


def _masking(setup: Setup, form: Form) -> Claim:
    def runs(masking: str) -> tuple[Wanted, ...]:
        return _on(LONG, lambda each: masked(setup, each, form, masking))

    rivals = {masking: name for masking, name in MASKINGS.items() if masking != "all"}
    return Claim(
        "Mask All is best on long documents",
        "table9",
        tuple(
            Contrast(f"Mask All − {name}, Krapivin and NUS", runs("all"), runs(masking))
            for masking, name in rivals.items()
        ),
    )


def _similarity(setup: Setup, form: Form) -> Claim:
    def alike(what: str, runs: Callable[..., Wanted]) -> Contrast:
        cosine, euclidean = (tuple(runs(each, *asked) for each in SETS) for asked in similarity.SIMILARITIES.values())
        return Contrast(f"{what}, cosine − Euclidean, six sets", cosine, euclidean, alike=True)

    return Claim(
        "Cosine and Euclidean distance are alike",
        "table10",
        (
            alike("EmbedRank", setup.embedrank),
            alike("MDERank", lambda each, *asked: setup.mderank(each, form, *asked)),
        ),
    )


def _diversity(setup: Setup, form: Form) -> Claim:
    subset, every = (tuple(masked(setup, each, form, name) for each in SETS) for name in ("subset", "all"))
    contrast = Contrast("Mask Subset − Mask All, six sets", subset, every, DIVERSITY)
    return Claim("Mask Subset is more diverse than Mask All", "figure3", (contrast,))


def _one_pass(setup: Setup, form: Form) -> list[Claim]:
    """What we say ourselves: that one pass gives what the exact form does."""
    if form != "one pass" or "exact" not in setup.forms_of(setup.encoder):
        return []
    one, exact = (tuple(setup.mderank(dataset, each) for dataset in SETS) for each in reversed(FORMS))
    contrast = Contrast("MDERank, one pass − exact, six sets", one, exact, alike=True)
    return [Claim("One pass is as good as the exact form on average, at 15 phrases", "table3", (contrast,), ours=True)]
