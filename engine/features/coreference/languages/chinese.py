"""Chinese: pronouns and the labels of its treebank; gender and number come from pronouns and what the corpus shows."""

from __future__ import annotations

from typing import Final

from engine.features.coreference.languages import Language, Pronoun

PACK: Final = Language(
    name="chinese",
    pronouns={
        "我": Pronoun("i", "1", "singular", "", "animate"),
        "自己": Pronoun("self", "3"),
        "我们": Pronoun("we", "1", "plural", "", "animate"),
        "咱们": Pronoun("we", "1", "plural", "", "animate"),
        "你": Pronoun("you", "2", "singular", "", "animate"),
        "您": Pronoun("you", "2", "singular", "", "animate"),
        "你们": Pronoun("you", "2", "plural", "", "animate"),
        "他": Pronoun("he", "3", "singular", "male", "animate"),
        "她": Pronoun("she", "3", "singular", "female", "animate"),
        "它": Pronoun("it", "3", "singular", "neutral", "inanimate"),
        "他们": Pronoun("they", "3", "plural", "", "animate"),
        "她们": Pronoun("they", "3", "plural", "female", "animate"),
        "它们": Pronoun("they", "3", "plural", "neutral", "inanimate"),
        "这": Pronoun("this", "3", "", "neutral"),
        "那": Pronoun("that", "3", "", "neutral"),
    },
    demonstrative=frozenset({"这", "那", "这些", "那些", "该", "此", "本"}),
    indefinite=frozenset({"一", "一个", "某", "某些", "有些", "任何", "每"}),
    stopwords=frozenset({"的", "了", "在", "和", "与", "，", "。", "、", "这", "那", "一"}),
    gender={"先生": "male", "父亲": "male", "女士": "female", "小姐": "female", "母亲": "female", "人们": "plural"},
    speech_verbs=frozenset({"说", "表示", "指出", "称", "问", "答", "道"}),
    noun_phrases=frozenset({"NP"}),
    name_tags=frozenset({"NR"}),
    pronoun_tags=frozenset({"PN"}),
    noun_tags=frozenset({"NN", "NR", "NT"}),
    plural_tags=frozenset(),
)
