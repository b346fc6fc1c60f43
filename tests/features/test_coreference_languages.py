"""Chinese and Arabic: which spans are mentions, and what they say of themselves, on short documents written for it."""

from __future__ import annotations

from engine.data.document import Document
from engine.features.coreference.languages import load
from engine.features.coreference.languages.arabic import plain, reduce_tag
from engine.features.coreference.mentions import extract
from engine.features.coreference.reading import describe
from engine.features.coreference.words import Words

CHINESE, ARABIC = load("chinese"), load("arabic")


def tagged(*sentences: str, **columns: tuple[str, ...]) -> Document:
    """A document from words with their tags: 我/PN."""
    cells = [[cell.rpartition("/")[::2] for cell in sentence.split()] for sentence in sentences]
    pos = tuple(tag for sentence in cells for _, tag in sentence)
    return Document.from_words("d", [[word for word, _ in s] for s in cells], columns={"pos": pos, **columns})


def found(document: Document, language) -> list[str]:
    return [" ".join(document.words[start:end]) for start, end in extract(Words(document, language))]


def row(document: Document, language, text: str) -> dict[str, str]:
    """What the first mention with these words says of itself."""
    spans = [span for span in extract(Words(document, language)) if " ".join(document.words[slice(*span)]) == text]
    return told(document, language, spans[0])


def told(document: Document, language, span: tuple[int, int]) -> dict[str, str]:
    table = describe(Words(document, language), [span])
    return {name: column[0] for name, column in table.text.items()}


SCHOOL = tagged(
    "李明/NR 在/P 北京/NR 大学/NN 读书/VV 。/PU",
    "这/DT 所/M 学校/NN 很/AD 有名/VA ，/PU 他/PN 的/DEG 老师/NN 们/NN 都/AD 喜欢/VV 它/PN 。/PU",
    "这/PN 让/VV 他/PN 的/DEG 母亲/NN 高兴/VA 。/PU",
)


def test_chinese_demonstratives_before_nouns_are_no_mentions_and_others_are() -> None:
    mentions = found(SCHOOL, CHINESE)
    assert "这 所 学校" in mentions and mentions.count("这") == 1
    assert {"李明", "北京 大学", "他", "它"} <= set(mentions)
    alone = tagged("那/DT 很/AD 好/VA 。/PU", "那/DT 三/CD 本/M 新/JJ 书/NN 很/AD 好/VA 。/PU")
    assert found(alone, CHINESE) == ["那", "那 三 本 新 书"]


def test_chinese_names_end_in_common_nouns_and_stay_names() -> None:
    university = row(SCHOOL, CHINESE, "北京 大学")
    assert (university["type"], university["kind"], university["number"]) == ("N", "name", "singular")
    both = tagged("北京/NR 大学/NN 、/PU 北大/NR 、/PU 李明/NR")
    initials = describe(Words(both, CHINESE), [(0, 2), (3, 4), (5, 6)]).numeric["initials"].tolist()
    assert initials[0] == initials[1] != initials[2], "as 北京大学 is shortened"
    marked = tagged("全国/NN 总工会/NN 说/VV 。/PU", ner=("(ORG", ")", "*", "*"))
    assert row(marked, CHINESE, "全国 总工会")["type"] == "N", "marked as an organisation"
    assert row(SCHOOL, CHINESE, "李明")["animacy"] == "animate", "a surname and a given name"
    assert university["animacy"] == "inanimate"
    unmarked = tagged("全国/NN 总工会/NN 说/VV 。/PU")
    assert row(unmarked, CHINESE, "全国 总工会")["type"] == "C"


def test_chinese_nouns_show_number_by_the_words_around_them_only() -> None:
    numbers = {
        "学生/NN": "",
        "学生们/NN": "plural",
        "这些/DT 学生/NN": "plural",
        "三/CD 个/M 学生/NN": "plural",
        "一/CD 个/M 学生/NN": "singular",
        "该/DT 学生/NN": "singular",
        "王芳/NR": "singular",
        "王芳/NR 和/CC 李明/NR": "plural",
    }
    for words, number in numbers.items():
        document = tagged(f"{words} 来/VV 了/AS 。/PU")
        span = (0, len(words.split()))
        assert told(document, CHINESE, span)["number"] == number, words


def test_chinese_pronouns_agree() -> None:
    said = {word: CHINESE.pronouns[word] for word in ("她", "它们", "咱们", "其")}
    assert (said["她"].gender, said["它们"].animacy, said["咱们"].person) == ("female", "inanimate", "1")
    assert row(SCHOOL, CHINESE, "他")["agree"] == "male singular animate"
    mother = tagged(
        "他/PN 的/DEG 母亲/NN 来/VV 了/AS 。/PU", head=(2, 0, 3, -1, 3, 3), deprel=("nmod", "case", *"nrap")
    )
    attributes = told(mother, CHINESE, (0, 3))
    assert (attributes["gender"], attributes["head"], attributes["possessed"]) == ("female", "母亲", "he")


LIBRARY = tagged(
    "زارت/VBD ليلى/NNP المكتبة/DT+NN ./PUNC",
    "هذا/DEM_PRON_MS الكتاب/DET+NOUN+CASE_DEF_NOM أعجب/VBD +ها/PVSUFF_DO:3FS و/CC"
    " مؤلف/NN ه/POSS_PRON_3MS مشهور/JJ ./PUNC",
    parse=tuple("(S(VP* (NP*) (NP*)) *) (S(NP* *) (VP* (NP*)) * (NP* (NP*)) (ADJP*) *)".split()),
)


def test_arabic_clitics_are_mentions_and_demonstratives_before_nouns_are_not() -> None:
    mentions = found(LIBRARY, ARABIC)
    assert set(mentions) == {"ليلى", "المكتبة", "هذا الكتاب", "+ها", "ه", "مؤلف ه"}
    assert "هذا" in found(tagged("هذا/DEM_PRON_MS مهم/JJ ./PUNC"), ARABIC)


def test_arabic_pronouns_are_known_with_or_without_signs() -> None:
    assert row(LIBRARY, ARABIC, "+ها")["gender"] == "female" and row(LIBRARY, ARABIC, "+ها")["number"] == ""
    assert row(LIBRARY, ARABIC, "ه")["agree"].startswith("male singular")
    assert plain("هُوَ") in ARABIC.pronouns and plain("ـه") in ARABIC.pronouns and plain("أنا") in ARABIC.pronouns
    assert plain("+") == "+", "a sign of its own stays a word"


def test_arabic_heads_stand_first_after_demonstratives() -> None:
    book = row(LIBRARY, ARABIC, "هذا الكتاب")
    assert (book["head"], book["lemma"], book["kind"]) == ("الكتاب", "كتاب", "demonstrative")
    assert book["number"] == "singular"
    students = row(tagged("كل/NOUN_QUANT الطلاب/DET+NOUN درسوا/VBD ./PUNC"), ARABIC, "كل الطلاب")
    assert (students["head"], students["number"]) == ("الطلاب", "plural")
    assert row(LIBRARY, ARABIC, "المكتبة")["kind"] == "definite"


def test_arabic_gender_is_one_of_grammar() -> None:
    library = row(LIBRARY, ARABIC, "المكتبة")
    assert (library["gender"], library["animacy"]) == ("female", ""), "a library is no woman"
    queen = tagged("الملكة/DT+NN وصلت/VBD ./PUNC")
    assert (row(queen, ARABIC, "الملكة")["gender"], row(queen, ARABIC, "الملكة")["animacy"]) == ("female", "animate")


def test_tags_of_the_arabic_treebank_are_shortened() -> None:
    tags = {
        "DET+NOUN+NSUFF_FEM_PL+CASE_DEF_GEN": "NNS",
        "NOUN+NSUFF_FEM_SG": "NN",
        "DET+NOUN_PROP": "NNP",
        "PRON_3MS": "PRP",
        "POSS_PRON_3FS": "PRP$",
        "IVSUFF_DO:3MS": "PRP",
        "DEM_PRON_F": "DEM",
        "REL_PRON": "WP",
        "DT+NNS": "NNS",
        "VBD": "VBD",
    }
    assert {tag: reduce_tag(tag) for tag in tags} == tags
    assert row(tagged("الطالبات/DET+NOUN+NSUFF_FEM_PL درسن/VBD ./PUNC"), ARABIC, "الطالبات")["number"] == "plural"
