"""English: pronouns, determiners, and words that tell gender, number and animacy."""

from __future__ import annotations

from typing import Final

from engine.features.coreference.languages import Language, Pronoun


def _pronouns() -> dict[str, Pronoun]:
    forms: dict[str, Pronoun] = {}
    groups = (
        (Pronoun("i", "1", "singular", "", "animate"), "i me my mine myself"),
        (Pronoun("we", "1", "plural", "", "animate"), "we us our ours ourselves ourself"),
        (Pronoun("you", "2", "", "", "animate"), "you your yours yourself yourselves ye thou thee thy thine thyself"),
        (Pronoun("he", "3", "singular", "male", "animate"), "he him his himself"),
        (Pronoun("she", "3", "singular", "female", "animate"), "she her hers herself"),
        (Pronoun("it", "3", "singular", "neutral", "inanimate"), "it its itself"),
        (Pronoun("they", "3", "plural"), "they them their theirs themselves themself 'em"),
        (Pronoun("one", "3", "singular", "", "animate"), "one oneself"),
        (Pronoun("this", "3", "singular", "neutral"), "this that"),
        (Pronoun("these", "3", "plural"), "these those"),
        (Pronoun("who", "3", "", "", "animate"), "who whom whose"),
        (Pronoun("which", "3", "", "neutral", "inanimate"), "which"),
    )
    for pronoun, words in groups:
        for word in words.split():
            forms[word] = pronoun
    return forms


_MALE: Final = """mr mr. sir lord king prince duke count baron emperor pope father dad daddy papa grandfather grandpa
son brother
uncle nephew husband bridegroom groom widower boyfriend man men gentleman gentlemen boy boys lad fellow guy guys chap
businessman policeman chairman spokesman fisherman fireman salesman congressman waiter actor host hero monk
priest bishop friar wizard landlord heir steward squire masters master earl monsieur herr senor don
james john robert michael william david richard joseph thomas charles christopher daniel matthew anthony mark donald
steven paul andrew joshua kenneth kevin brian george edward ronald timothy jason jeffrey ryan jacob gary nicholas eric
jonathan stephen larry justin scott brandon benjamin samuel gregory frank alexander raymond patrick jack dennis jerry
tyler aaron jose adam henry nathan douglas zachary peter kyle walter ethan jeremy harold keith christian roger noah
gerald carl terry sean austin arthur lawrence jesse dylan bryan joe jordan billy bruce albert willie gabriel logan alan
juan wayne roy ralph randy eugene vincent russell elijah louis bobby philip johnny tom jim bob bill mike dave dick harry
fred sam ben dan tim ned hugh edgar oliver simon martin leo max felix oscar hugo luke isaac abraham ivan pedro carlos
luis miguel hans karl otto fritz pierre jean jacques francois giovanni marco omar ahmed mohammed ali hassan raj
anders lars sven kofi kwame hiroshi kenji wei""".split()

_FEMALE: Final = """mrs mrs. ms ms. miss madam madame lady queen princess duchess countess baroness empress mother
mom mum mama mamma
grandmother grandma daughter sister aunt niece wife bride widow girlfriend woman women girl girls lass maid maiden
businesswoman policewoman chairwoman spokeswoman congresswoman waitress actress hostess heroine nun witch landlady
heiress stewardess governess mistress mademoiselle senora frau dame nurse housekeeper
mary patricia jennifer linda elizabeth barbara susan jessica sarah karen lisa nancy betty margaret sandra ashley
kimberly
emily donna michelle carol amanda dorothy melissa deborah stephanie rebecca sharon laura cynthia kathleen amy angela
shirley anna brenda pamela emma nicole helen samantha katherine christine debra rachel carolyn janet catherine maria
heather diane ruth julie olivia joyce virginia victoria kelly lauren christina joan evelyn judith megan andrea cheryl
hannah jacqueline martha gloria teresa ann sara madison frances kathryn janice jean abigail alice julia judy sophia
grace denise amber doris marilyn danielle beverly isabella theresa diana natalie brittany charlotte marie kayla alexis
lori jane kate lucy clara eliza fanny harriet henrietta agnes edith ellen eleanor florence ida ivy kitty lily lydia
mabel
maggie marianne molly nelly polly rosa rose sally sophie susanna ursula yvonne ingrid astrid fatima aisha leila mei yuki
carmen lucia elena claire chloe zoe mia ella ava amelia priya ama esi""".split()

_NEUTRAL: Final = """company firm group agency bank school university college hospital government council court party
team club
committee department ministry parliament congress senate army navy police city town village country state nation
county province region river lake sea ocean mountain island road street bridge building house home room door window
table chair car bus train ship boat plane book paper article letter story film movie song game war battle treaty law
bill plan project program programme system model method study result data theory idea question problem answer year
month week day hour minute time place thing world earth sun moon money price cost market industry economy business
product service computer phone machine engine website internet network food water air fire tree animal dog cat horse
bird fish body head hand heart mind life death work job office church museum library station airport hotel shop
store restaurant garden park field forest language word name number line point part side end""".split()

_PLURAL: Final = """people children parents men women boys girls kids students teachers workers members officials
researchers
scientists authors players fans friends brothers sisters families couples twins police troops soldiers voters
citizens residents users customers clients guests others both many few several folks folk""".split()


def _gender() -> dict[str, str]:
    words = dict.fromkeys(_NEUTRAL, "neutral")
    words |= dict.fromkeys(_PLURAL, "plural")
    words |= dict.fromkeys(_FEMALE, "female")
    words |= dict.fromkeys(_MALE, "male")
    return words


PACK: Final = Language(
    name="english",
    pronouns=_pronouns(),
    definite=frozenset({"the"}),
    indefinite=frozenset("a an some any no another every each".split()),
    demonstrative=frozenset("this that these those such".split()),
    possessive=frozenset("my your his her its our their whose thy".split()),
    quantifiers=frozenset("all both many much few several most more less none either neither half enough".split()),
    prepositions=frozenset(
        "of in on at by for with from to into about over under between among through during before after against"
        " who whom whose which that where when while as than , ; : -- - ( ) and or but".split()
    ),
    stopwords=frozenset(
        "the a an this that these those of in on at by for with from to and or but 's ' my your his her its our their"
        " which who whom whose , . ; : -- - ( ) `` '' \" some any no all mr mr. mrs mrs."
        " ms ms. dr dr. as is was".split()
    ),
    gender=_gender(),
    speech_verbs=frozenset(
        "said says say asked asks replied replies answered cried exclaimed added continued returned whispered shouted"
        " murmured observed remarked told thought began repeated called responded laughed muttered inquired".split()
    ),
    empty_subject=frozenset({"it", "there"}),
    empty_verbs=frozenset(
        "rain rains rained raining snow snows snowed seem seems seemed appear appears appeared turn turns turned"
        " happen happens happened follows means".split()
    ),
    empty_adjectives=frozenset(
        "possible impossible likely unlikely clear obvious important necessary true hard easy difficult worth time"
        " good better best bad nice great strange interesting essential common rare helpful useful recommended".split()
    ),
)
