"""Chinese: pronouns, demonstratives before nouns, marks of number, and the form of names.

Words are those of a segmenter, tags those of the Chinese Treebank or of Universal Dependencies. Nouns show no number
unless a numeral, a plural demonstrative or 们 does, and most names of organisations end in a common noun.
"""

from __future__ import annotations

from typing import Final

from engine.features.coreference.languages import Language, Pronoun


def _pronouns() -> dict[str, Pronoun]:
    groups = (
        (Pronoun("i", "1", "singular", "", "animate"), "我 本人 俺"),
        (Pronoun("we", "1", "plural", "", "animate"), "我们 咱们 咱 我等"),
        (Pronoun("you", "2", "singular", "", "animate"), "你 您 妳"),
        (Pronoun("you", "2", "plural", "", "animate"), "你们 您们 妳们"),
        (Pronoun("he", "3", "singular", "male", "animate"), "他"),
        (Pronoun("she", "3", "singular", "female", "animate"), "她"),
        (Pronoun("it", "3", "singular", "neutral", "inanimate"), "它 牠"),
        (Pronoun("they", "3", "plural", "", "animate"), "他们"),
        (Pronoun("they", "3", "plural", "female", "animate"), "她们"),
        (Pronoun("they", "3", "plural", "neutral", "inanimate"), "它们"),
        (Pronoun("self", "3"), "自己 自身 本身"),
        (Pronoun("other", "3", "", "", "animate"), "其 对方 双方"),
        (Pronoun("this", "3", "", "neutral"), "这 此 那"),
        (Pronoun("these", "3", "plural"), "这些 那些"),
        (Pronoun("here", "3", "singular", "neutral", "inanimate"), "这里 那里 这儿 那儿 此地 当地"),
        (Pronoun("everybody", "3", "plural", "", "animate"), "大家 彼此"),
    )
    return {word: pronoun for pronoun, words in groups for word in words.split()}


_GENDER: Final = {
    "male": "先生 父亲 爸爸 爷爷 外公 儿子 哥哥 弟弟 丈夫 男子 男人 男孩 国王 王子 叔叔 伯伯 舅舅 男士 少爷 和尚",
    "female": "女士 小姐 母亲 妈妈 奶奶 外婆 女儿 姐姐 妹妹 妻子 太太 夫人 女子 女人 女孩 女王 公主 阿姨 姑姑 尼姑",
    "neutral": "公司 大学 学校 医院 银行 政府 国家 城市 会议 计划 问题 法律 经济 市场 工程 项目 报告 电影 书 车 船",
    "plural": "人们 群众 大众 民众 双方 夫妇 夫妻 兄弟 姐妹 师生 父母",
}

_SURNAMES: Final = (
    "王李张刘陈杨黄赵吴周徐孙马朱胡郭何林高罗郑梁谢宋唐许韩冯邓曹彭曾肖田董袁潘于蒋蔡"
    "余杜叶程苏魏吕丁任沈姚卢姜崔钟谭陆汪"
)
PACK: Final = Language(
    name="chinese",
    pronouns=_pronouns(),
    demonstrative=frozenset("这 那 这些 那些 该 此 本 这个 那个 这位 那位 这种 那种 这样 那样".split()),
    indefinite=frozenset("一 一个 一位 一名 一种 某 某些 某个 有些 任何 每 每个 另 另一".split()),
    possessive=frozenset("我 我们 你 您 你们 他 她 它 他们 她们 它们 自己 其".split()),
    quantifiers=frozenset("所有 全部 许多 很多 多数 大多数 少数 一些 几 各 多 不少 部分".split()),
    prepositions=frozenset("， 。 ； ： （".split()),
    stopwords=frozenset(
        "的 了 在 和 与 及 、 ， 。 ； ： “ ” 《 》 （ ） 这 那 这个 那个 这些 那些 该 此 本 一 个 位 名 所 家 种 条"
        " 只 张 件 座 届 次 项".split()
    ),
    gender={word: gender for gender, words in _GENDER.items() for word in words.split()},
    speech_verbs=frozenset("说 表示 指出 称 问 答 道 认为 强调 宣布 回答 透露 介绍 告诉 喊".split()),
    noun_phrases=frozenset({"NP"}),
    name_tags=frozenset({"NR", "PROPN", "NNP"}),
    pronoun_tags=frozenset({"PN", "PRON", "PRP", "PRP$"}),
    noun_tags=frozenset({"NN", "NR", "NT", "NOUN", "PROPN", "NNP"}),
    plural_tags=frozenset(),
    modifier_tags=frozenset({"CD", "OD", "M", "JJ", "NUM", "ADJ", "DEG", "DEC", "PART", "NN", "NR", "NOUN", "PROPN"}),
    coordinators=frozenset("和 与 及 以及 、 跟 同 暨".split()),
    number_unmarked=True,
    plural_endings=("们",),
    plural_words=frozenset(
        "这些 那些 一些 某些 有些 许多 很多 几 几个 数 各 多 两 二 三 四 五 六 七 八 九 十 百 千 万 不少"
        " 所有 全部 双".split()
    ),
    singular_words=frozenset("一 一个 一位 一名 这个 那个 这位 那位 该 本 此 某 每 首 另一".split()),
    name_entities=frozenset(
        "PERSON PER ORG GPE LOC FAC NORP PRODUCT EVENT WORK_OF_ART LAW LANGUAGE organization place person".split()
    ),
    name_heads=frozenset(
        "大学 学院 公司 集团 银行 医院 法院 检察院 委员会 协会 学会 研究所 研究院 中学 小学 报 日报"
        " 晚报 电视台 电台 通讯社 省 市 县 区 镇 村 州 岛 河 江 湖 山 海 路 街 机场 火车站 车站 港 党 队"
        " 俱乐部 部 局 厅 政府 议会 国会 基金会 奖".split()
    ),
    surnames=frozenset(_SURNAMES),
)
