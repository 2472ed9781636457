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

# Words that say little of what a text is about. A tagger would not take most of them for a noun; methods that count
# words and have no tags would find them remarkable.
_LIGHT_ENGLISH = frozenset(
    """
    zero two three four five six seven eight nine ten first second third fourth fifth secondly thirdly once twice
    able available appropriate associated best better certain corresponding different following important inner known
    like likely little main necessary new novel outer overall own particular possible previous recent respective right
    same serious similar specific sure unlike unlikely useful
    accordingly actually afterwards almost anyhow anyway apart approximately aside certainly clearly commonly
    consequently currently definitely despite directly easily effectively entirely especially essentially eventually
    exactly extremely far finally formerly forth frequently fully furthermore generally hardly highly hopefully
    immediately initially lately later likewise mainly meanwhile merely nearly necessarily newly normally obviously
    originally overly particularly possibly presently presumably previously primarily probably properly readily
    reasonably recently regardless relatively respectively seriously significantly similarly simply simultaneously
    slightly sometime soon specifically strongly subsequently substantially successfully sufficiently surely thereby
    therein thoroughly today truly typically unfortunately usually widely
    allow allowed allowing allows appear appeared appears ask asked asking asks becoming begin begins began believe
    bring brings brought call called calls came cause caused causes come comes coming concern concerning consider
    considered considering considers contain contained containing contains describe described describes enable enables
    find finding finds follow followed follows found gave get getting give giving go goes going gone got happen
    happens help helped helps hold include included includes including indicate indicated indicates involve involved
    involves involving keep keeps kept knew know knows led let lie lies look looked looking looks made make makes making
    mean meaning means meant need needed needs obtain obtained offer offered offers provide provided provides
    providing put puts regard regarding regards remain remained remains require required requires said saw
    say saying says see seeing seem seemed seems seen seek seeks sent shown show showed showing shows specified specify
    stay take taken takes taking tell tend tends think thought told took tried tries try trying turn turned turns use
    used uses using want wanted wants went wish yield yielded yields
    example examples kind kinds lot lots mr mrs ms dr ok okay plus thing things way ways yes
    """.split()
)


@cache
def light_words_of(language: str) -> frozenset[str]:
    """Further words of a language that are no keyword by themselves; spaCy's stop words have them already."""
    return _LIGHT_ENGLISH if language == "en" else frozenset()


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
