"""Common English words: a name that is also a common word needs better evidence than one that is not.

The list is our own, roughly by frequency: the first line holds the most frequent words, the second about two thousand
everyday ones, the third words typical of tweets. Given names and the words that introduce places or organisations are
for the NER-style flags.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

_LINES: Final = Path(__file__).with_name("common_words.txt").read_text(encoding="utf-8").splitlines()
RANKS: Final[dict[str, int]] = {
    word: 3 - band for band, line in reversed(list(enumerate(_LINES))) for word in line.split()
}
"""3 for the most frequent words, 2 for everyday words, 1 for the words of tweets; other words are not in it."""
COMMON: Final = frozenset(RANKS)

GIVEN_NAMES: Final = frozenset(
    """
    aaron adam adrian alan albert alex alexander alice alicia amanda amber amy andrea andrew andy angela anna
    anne anthony antonio arthur ashley barack barbara ben benjamin beth betty bill billy bob bobby brad bradley
    brandon brenda brian britney bruce bryan carl carlos carol caroline catherine charles charlie charlotte
    chelsea chris christian christina christine christopher cindy claire colin craig cristiano crystal dan
    daniel danny dave david dean deborah demi dennis diana diane dominique don donald donna doug dylan ed eddie
    edward elizabeth ellen emily emma eric erica ernest eva evan frank fred gary gavin george gerald gina glenn
    gordon graham greg gregory hannah harold harry heather helen henry holly howard hugh ian isabella jack
    jackie jacob james jamie jane janet jason jay jean jeff jeffrey jennifer jeremy jerry jesse jessica jessie
    jim jimmy joan joe joel joey john johnny jon jonathan jordan jose joseph josh joshua juan judy julia julian
    julie justin karen kate katherine kathy katie katy keith kelly ken kenneth kevin kim kimberly kyle larry
    laura lauren lee leo leon leonard lewis liam linda lindsay lisa liz louis louise lucas lucy luis luke
    madison marc marcus margaret maria marie mario mark martin mary matt matthew max megan mel melissa michael
    michelle miguel mike miley mitch mitt mohammed molly monica muhammad nancy natalie nathan neil nick nicki
    nicole nina noah oliver olivia oprah oscar pamela patricia patrick paul paula pedro peter phil philip
    phillip rachel ralph randy ray raymond rebecca rebekah richard rick rob robert roberto robin rod roger ron
    ronald rose roy rupert russell ruth ryan sam samantha samuel sandra sara sarah scott sean selena serena seth
    shane sharon shaun simon sophia sophie stacy stan stella stephanie stephen steve steven stuart sue susan
    taylor ted teresa terry theresa thomas tiffany tim timothy todd tom tommy toni tony tracy travis troy tyler
    vanessa venus victor victoria vincent virginia walter warren wayne wendy wesley will william willie zac zach
    zoe
    """.split()
)
BEFORE_PLACES: Final = frozenset("in at from near to around across outside inside visit visiting leaving".split())
TITLES: Final = frozenset(
    "mr mrs ms dr sir lord lady president pm sen senator rep gov mayor king queen prince coach judge st".split()
)
GROUP_WORDS: Final = frozenset(
    """
    inc ltd llc co corp company group bank university college school institute party police club fc united city
    council department ministry agency association committee court church hospital airlines airways news times
    post magazine records foundation league federation union commission office service network
    """.split()
)
EVENT_WORDS: Final = frozenset(
    "cup games festival championship open prix awards tour war riots day week election olympics attacks".split()
)
DATE_WORDS: Final = frozenset(
    """
    monday tuesday wednesday thursday friday saturday sunday january february march april may june july august
    september october november december today tomorrow yesterday tonight christmas ramadan easter halloween
    """.split()
)
