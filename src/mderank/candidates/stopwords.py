"""Words that no keyphrase has inside it."""

from __future__ import annotations

from functools import cache

# Function words, the quantifiers and comparatives that taggers call adjectives, and scholarly abbreviations.
_ENGLISH = frozenset(
    """
    a about above across after again against all almost alone along already also although always am among amongst an
    and another any anybody anyone anything anywhere are aren't around as at away be became because become becomes
    been before behind being below beside besides between beyond both but by can can't cannot could couldn't did
    didn't do does doesn't doing don't done down due during each either else elsewhere enough etc even ever every
    everybody everyone everything everywhere except few fewer for former from further get gets given gives had hadn't
    has hasn't have haven't having he hence her here hers herself him himself his how however i if in indeed instead
    into is isn't it it's its itself just largely last latter least less let many may maybe me might mine more
    moreover most mostly much must my myself namely near neither never nevertheless next no nobody none nor not nothing
    now nowhere of off often on once one ones only onto or other others otherwise ought our ours ourselves out over
    own per perhaps quite rather really same several shall she should shouldn't since so some somebody someone
    something sometimes somewhat somewhere still such than that that's the their theirs them themselves then thence
    there therefore these they this those though through throughout thus to together too toward towards under unless
    until up upon us various very via was wasn't we well were weren't what whatever when whence whenever where whereas
    whereby wherein wherever whether which while who whoever whole whom whose why will with within without won't would
    wouldn't yet you your yours yourself yourselves
    'd 'll 'm 're 's 've n't ’d ’ll ’m ’re ’s ’ve n’t
    al al. cf cf. e.g e.g. eg eq eq. et fig fig. figs i.e i.e. ie p.p pp pp. vs vs. viz
    """.split()
)


@cache
def stop_words_of(language: str) -> frozenset[str]:
    """The stop words of a language: our own for English, spaCy's for the others it has, else none."""
    if language == "en":
        return _ENGLISH
    try:
        from spacy.util import get_lang_class

        return frozenset(word.lower() for word in get_lang_class(language).Defaults.stop_words)
    except ImportError:
        return frozenset()
