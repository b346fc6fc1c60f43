"""Arabic: free and clitic pronouns, demonstratives before nouns, marks of gender and number.

Clitics are separate tokens, as the treebanks split them ("كتاب ه", his book), with or without a sign at the cut ("+ه",
"ـه"). Heads come first, the article is part of its noun, and vowel signs and forms of alif vary from writer to writer.
Plural things take the feminine singular, so هي and ها tell nothing about number.
"""

from __future__ import annotations

import re
from typing import Final

from engine.features.coreference.languages import Language, Pronoun

_SIGNS: Final = re.compile("[\u064b-\u0652\u0670\u0640+]")
_ALIF: Final = str.maketrans({"أ": "ا", "إ": "ا", "آ": "ا", "ٱ": "ا", "ى": "ي"})


def plain(word: str) -> str:
    """Without vowel signs, stretching and cutting signs, and with one alif."""
    return (_SIGNS.sub("", word) or word).translate(_ALIF).lower()


def words(text: str) -> frozenset[str]:
    """A word list, with each word in its `plain` form."""
    return frozenset(plain(word) for word in text.split())


def reduce_tag(tag: str) -> str:
    """The long tags of the Arabic Treebank (DET+NOUN+NSUFF_FEM_PL) as PRP$, PRP, DEM, WP, NNP, NNS, NN, JJ."""
    if "POSS_PRON" in tag or tag == "PRP$":
        return "PRP$"
    if "DEM" in tag:
        return "DEM"
    if "REL_PRON" in tag:
        return "WP"
    if tag.startswith(("PRON", "PRP")) or "SUFF_DO" in tag:
        return "PRP"
    if "NOUN_PROP" in tag or "NNP" in tag or tag == "PROPN":
        return "NNP"
    if "NOUN" in tag or "NN" in tag:
        return "NNS" if re.search(r"_PL|_DU|NNS", tag) else "NN"
    return "JJ" if "ADJ" in tag or "JJ" in tag else tag


def _pronouns() -> dict[str, Pronoun]:
    groups = (
        (Pronoun("i", "1", "singular", "", "animate"), "انا ي ني اياي"),
        (Pronoun("we", "1", "plural", "", "animate"), "نحن نا ايانا"),
        (Pronoun("you", "2", "singular", "", "animate"), "انت ك اياك"),
        (Pronoun("you", "2", "plural", "", "animate"), "انتم انتن انتما كم كن كما"),
        (Pronoun("he", "3", "singular", "male"), "هو ه اياه"),
        (Pronoun("she", "3", "", "female"), "هي ها اياها"),
        (Pronoun("they", "3", "plural"), "هما اياهما"),
        (Pronoun("they", "3", "plural", "male", "animate"), "هم اياهم"),
        (Pronoun("they", "3", "plural", "female", "animate"), "هن اياهن"),
        (Pronoun("this", "3", "singular", "male"), "هذا ذلك ذاك"),
        (Pronoun("this", "3", "", "female"), "هذه تلك"),
        (Pronoun("these", "3", "plural"), "هؤلاء اولئك هذان هذين هاتان هاتين"),
        (Pronoun("here", "3", "singular", "neutral", "inanimate"), "هنا هناك"),
    )
    return {word: pronoun for pronoun, forms in groups for word in words(forms)}


_GENDER: Final = {
    "male": "السيد سيد الملك ملك الرجل رجل الاب اب والد الوالد ابن الابن الاخ اخ زوج الزوج الامير امير الشيخ شيخ"
    " الوزير وزير الرئيس رئيس محمد احمد علي حسن حسين خالد عمر يوسف ابراهيم محمود سعيد سامي كريم",
    "female": "السيدة سيدة الملكة ملكة المراة امراة الام ام والدة الوالدة ابنة الابنة بنت الاخت اخت زوجة الزوجة"
    " الاميرة اميرة الوزيرة وزيرة الرئيسة رئيسة فاطمة عائشة مريم ليلي زينب خديجة سعاد نور هدي سلمي",
    "plural": "الناس ناس الرجال رجال النساء نساء الاطفال اطفال الطلاب طلاب المواطنون المواطنين الوالدان الوالدين",
}

_DEMONSTRATIVE: Final = "هذا هذه ذلك تلك هؤلاء اولئك هذان هذين هاتان هاتين ذاك"

PACK: Final = Language(
    name="arabic",
    pronouns=_pronouns(),
    demonstrative=words(_DEMONSTRATIVE),
    quantifiers=words("كل جميع بعض معظم اغلب كافة سائر عدة"),
    prepositions=words("من في علي الي عن مع التي الذي الذين ، . : ؛ و"),
    stopwords=words("من في علي الي عن مع و ف ب ل ك ، . : ؛ ان قد ال " + _DEMONSTRATIVE),
    gender={word: gender for gender, listed in _GENDER.items() for word in words(listed)},
    speech_verbs=words("قال قالت اضاف اضافت اعلن اعلنت اكد اكدت ذكر ذكرت اوضح اوضحت سال سالت"),
    name_tags=frozenset({"NNP", "PROPN"}),
    pronoun_tags=frozenset({"PRP", "PRP$", "PRON"}),
    noun_tags=frozenset({"NN", "NNS", "NNP", "NOUN", "PROPN"}),
    plural_tags=frozenset({"NNS"}),
    head_first=True,
    determiner_tags=frozenset({"DEM", "DT", "DET"}),
    coordinators=frozenset({"و"}),
    number_unmarked=True,
    singular_words=words("هذا ذلك ذاك"),
    plural_words=words("هؤلاء اولئك هذان هذين هاتان هاتين كل جميع بعض معظم عدة"),
    feminine_endings=("ة",),
    article="ال",
    name_entities=frozenset("PERSON PER ORG GPE LOC FAC NORP PRODUCT EVENT WORK_OF_ART LAW LANGUAGE".split()),
    reduce_tag=reduce_tag,
    plain=plain,
)
