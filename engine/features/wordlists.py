"""Short lists of common words that distinguish people, places and organisations.

Roth and Yih collected "names of famous places, people and popular titles" in advance; these are our own, deliberately
small. Users add their own as gazetteers: one name per line; the file's name is the list's name.
"""

from __future__ import annotations

from typing import Final


def _words(text: str) -> frozenset[str]:
    return frozenset(piece.strip().lower() for piece in text.replace("\n", " ").split(";") if piece.strip())


STATES: Final = _words("""
Alabama; Alaska; Arizona; Arkansas; California; Colorado; Connecticut; Delaware; Florida; Georgia; Hawaii; Idaho;
Illinois; Indiana; Iowa; Kansas; Kentucky; Louisiana; Maine; Maryland; Massachusetts; Michigan; Minnesota; Mississippi;
Missouri; Montana; Nebraska; Nevada; New Hampshire; New Jersey; New Mexico; New York; North Carolina; North Dakota;
Ohio; Oklahoma; Oregon; Pennsylvania; Rhode Island; South Carolina; South Dakota; Tennessee; Texas; Utah; Vermont;
Virginia; Washington; West Virginia; Wisconsin; Wyoming; Puerto Rico; Ontario; Quebec; Alberta; Manitoba;
Ala.; Ariz.; Ark.; Calif.; Colo.; Conn.; Del.; Fla.; Ga.; Ill.; Ind.; Kan.; Ky.; La.; Md.; Mass.; Mich.; Minn.; Miss.;
Mo.; Mont.; Neb.; Nev.; N.H.; N.J.; N.M.; N.Y.; N.C.; N.D.; Okla.; Ore.; Pa.; R.I.; S.C.; S.D.; Tenn.; Tex.; Vt.; Va.;
W.Va.; Wash.; Wis.; Wyo.; D.C.; CA; NY; TX; FL; IL; PA; OH; MI; NJ; VA; MA; WA; AZ; CO; MD; MN; MO; TN; GA; NC; SC
""")

COUNTRIES: Final = _words("""
Afghanistan; Albania; Algeria; Angola; Argentina; Armenia; Australia; Austria; Azerbaijan; Bahamas; Bahrain; Bangladesh;
Belarus; Belgium; Belize; Benin; Bolivia; Bosnia; Botswana; Brazil; Britain; Bulgaria; Burma; Burundi; Cambodia;
Cameroon; Canada; Chad; Chile; China; Colombia; Congo; Costa Rica; Croatia; Cuba; Cyprus; Czechoslovakia; Denmark;
Dominican Republic; Ecuador; Egypt; El Salvador; England; Eritrea; Estonia; Ethiopia; Finland; France; Gabon; Georgia;
Germany; East Germany; West Germany; Ghana; Great Britain; Greece; Grenada; Guatemala; Guinea; Guyana; Haiti; Honduras;
Hong Kong; Hungary; Iceland; India; Indonesia; Iran; Iraq; Ireland; Israel; Italy; Ivory Coast; Jamaica; Japan; Jordan;
Kazakhstan; Kenya; Korea; North Korea; South Korea; Kuwait; Kyrgyzstan; Laos; Latvia; Lebanon; Lesotho; Liberia; Libya;
Lithuania; Luxembourg; Macedonia; Madagascar; Malawi; Malaysia; Mali; Malta; Mauritania; Mexico; Moldova; Mongolia;
Morocco; Mozambique; Myanmar; Namibia; Nepal; Netherlands; New Zealand; Nicaragua; Niger; Nigeria; Northern Ireland;
Norway; Oman; Pakistan; Panama; Paraguay; Peru; Philippines; Poland; Portugal; PRC; Qatar; Romania; Russia; Rwanda;
Saudi Arabia; Scotland; Senegal; Serbia; Sierra Leone; Singapore; Slovakia; Slovenia; Somalia; South Africa;
Soviet Union; Spain; Sri Lanka; Sudan; Sweden; Switzerland; Syria; Taiwan; Tajikistan; Tanzania; Thailand; Tunisia;
Turkey; Turkmenistan; Uganda; Ukraine; U.S.; U.S.A.; U.S.S.R.; USSR; US; UK; U.K.; United Kingdom; United States;
United Arab Emirates; Uruguay; Uzbekistan; Venezuela; Vietnam; Wales; Yemen; Yugoslavia; Zaire; Zambia; Zimbabwe
""")

CITIES: Final = _words("""
Albany; Amsterdam; Anchorage; Ankara; Athens; Atlanta; Austin; Baghdad; Baltimore; Bangkok; Barcelona; Beijing; Beirut;
Belfast; Belgrade; Berlin; Birmingham; Bogota; Bombay; Bonn; Boston; Brasilia; Brussels; Bucharest; Budapest; Buffalo;
Buenos Aires; Cairo; Cape Canaveral; Cape Town; Caracas; Charlotte; Chicago; Cincinnati; Cleveland; Columbus;
Copenhagen; Dallas; Damascus; Denver; Detroit; Dublin; Edinburgh; Frankfurt; Geneva; Hamburg; Hanoi; Harare; Havana;
Helsinki; Honolulu; Houston; Indianapolis; Istanbul; Jakarta; Jerusalem; Johannesburg; Kabul; Kansas City; Kiev;
Kuala Lumpur; Lagos; Las Vegas; Lima; Lisbon; London; Los Angeles; Louisville; Madrid; Managua; Manila; Melbourne;
Memphis; Mexico City; Miami; Milan; Milwaukee; Minneapolis; Minsk; Montreal; Moscow; Munich; Nairobi; Naples; Nashville;
Newark; New Delhi; New Orleans; New York City; Nicosia; Oakland; Oklahoma City; Orlando; Oslo; Ottawa; Palo Alto;
Panama City; Paris; Philadelphia; Phoenix; Pittsburgh; Portland; Prague; Pretoria; Quito; Reykjavik; Richmond; Riga;
Rio de Janeiro; Rome; Sacramento; St. Louis; St. Petersburg; Salt Lake City; San Antonio; San Diego; San Francisco;
San Jose; San Salvador; Santiago; Sarajevo; Seattle; Seoul; Shanghai; Sofia; Stockholm; Sydney; Tampa; Tallinn;
Tehran; Tel Aviv; Tokyo; Toronto; Tripoli; Tunis; Vancouver; Vienna; Vilnius; Warsaw; Wellington; Zagreb; Zurich
""")

GIVEN_NAMES: Final = _words("""
Abraham; Adam; Alan; Albert; Alexander; Alexei; Alfred; Alice; Allen; Amanda; Amy; Andrea; Andrei; Andrew; Angela; Ann;
Anna; Anne; Anthony; Antonio; Arthur; Barbara; Ben; Benjamin; Bernard; Betty; Bill; Billy; Bob; Bonnie; Boris; Brenda;
Brian; Bruce; Carl; Carlos; Carol; Caroline; Catherine; Charles; Charlie; Cheryl; Chris; Christine; Christopher;
Clarence; Claude; Craig; Cynthia; Dale; Dan; Daniel; Dave; David; Dean; Deborah; Debra; Dennis; Diana; Diane; Dick; Don;
Donald; Donna; Dorothy; Douglas; Earl; Ed; Eddie; Edgar; Edward; Edwin; Eileen; Elaine; Eleanor; Elizabeth; Ellen;
Emily; Eric; Ernest; Eugene; Evelyn; Felix; Fidel; Florence; Francis; Francois; Frank; Fred; Frederick; Gary; Gene;
George; Gerald; Gilbert; Gloria; Gordon; Grace; Greg; Gregory; Hans; Harold; Harry; Harvey; Heather; Heinz; Helen;
Henry; Herbert; Howard; Hugh; Ian; Igor; Ivan; Jack; Jacob; Jacques; James; Jan; Jane; Janet; Janice; Jason; Jay; Jean;
Jeff; Jeffrey; Jennifer; Jerry; Jesse; Jessica; Jim; Jimmy; Joan; Joe; Joel; John; Johnny; Jonathan; Jorge; Jose;
Joseph; Joshua; Joyce; Juan; Judith; Judy; Julia; Julie; Karen; Karl; Katherine; Kathleen; Kathy; Keith; Kelly; Ken;
Kenneth; Kevin; Kim; Larry; Laura; Lawrence; Lee; Leon; Leonard; Leonid; Lewis; Linda; Lisa; Lloyd; Louis; Lucy; Luis;
Lyndon; Manuel; Margaret; Maria; Marie; Marilyn; Mario; Mark; Martha; Martin; Mary; Matthew; Maurice; Max; Melvin;
Michael; Michelle; Miguel; Mikhail; Mike; Mohammed; Nancy; Natalie; Nathan; Neil; Nelson; Nicholas; Nick; Nicole;
Nikolai; Norman; Oleg; Oliver; Oscar; Pamela; Pat; Patricia; Patrick; Paul; Pedro; Peter; Phil; Philip; Phillip;
Pierre; Rachel; Ralph; Ray; Raymond; Rebecca; Richard; Rick; Robert; Roberto; Roger; Ron; Ronald; Rose; Roy; Russell;
Ruth; Ryan; Sam; Samuel; Sandra; Sara; Sarah; Scott; Sean; Sergei; Sharon; Shirley; Simon; Stanley; Stephanie; Stephen;
Steve; Steven; Stuart; Sue; Susan; Ted; Teresa; Terry; Theodore; Theresa; Thomas; Tim; Timothy; Tom; Tony; Victor;
Vincent; Virginia; Vladimir; Walter; Warren; Wayne; Wendy; William; Yasser; Yitzhak; Yuri
""")

TITLES: Final = _words("""
Mr.; Mrs.; Ms.; Miss; Dr.; Sir; Rev.; Prof.; President; Vice; Prime; Minister; Premier; Chancellor; Secretary; Senator;
Sen.; Rep.; Representative; Congressman; Congresswoman; Gov.; Governor; Lt.; Capt.; Captain; Col.; Colonel; Gen.;
General; Maj.; Major; Sgt.; Sergeant; Cpl.; Adm.; Admiral; Cmdr.; Commander; Judge; Justice; Mayor; Sheriff; Detective;
Chairman; Chairwoman; Chief; Director; Executive; Officer; Manager; Spokesman; Spokeswoman; Attorney; Lawyer;
Prosecutor; Professor; Ambassador; King; Queen; Prince; Princess; Pope; Bishop; Archbishop; Cardinal; Ayatollah;
reporter; correspondent; editor; author; analyst; economist; scientist; coach; leader; official; officials; deputy;
assistant; head; member; founder; owner; engineer; physicist; actor; actress; singer; poet; lieutenant; comrade; agent
""")

ORGANISATION_WORDS: Final = _words("""
Inc.; Inc; Corp.; Corp; Co.; Co; Ltd.; Ltd; Company; Corporation; University; College; School; Institute; Academy;
Department; Agency; Administration; Association; Bank; Board; Bureau; Center; Centre; Club; Commission; Committee;
Congress; Council; Court; Federation; Force; Foundation; Fund; Group; Hospital; House; Industries; International;
Laboratory; Laboratories; League; Library; Ministry; Museum; Office; Organization; Party; Police; Press; Senate;
Service; Services; Society; Systems; Times; Post; Herald; News; Journal; Tribune; Radio; Television; Union; Airlines;
Air; Army; Navy; Guard; Church; Team; Partners; Associates; Brothers; Motors; Electric; Research; Parliament; Assembly;
AP; AFP; UPI; ITAR-TASS; TASS; XINHUA; INTERFAX; KYODO; CIA; FBI; NASA; NATO; U.N.; UN; CBS; NBC; ABC; CNN; IBM; GM
""")

PLACE_WORDS: Final = _words("""
County; City; Town; Village; Island; Islands; Isle; River; Lake; Sea; Ocean; Bay; Gulf; Mountain; Mountains; Mount;
Valley; Beach; Park; Street; Avenue; Road; Airport; Harbor; Port; Fort; Cape; Peninsula; Desert; Forest; Canyon;
Creek; Falls; Springs; Heights; Hills; North; South; East; West; Northern; Southern; Eastern; Western; Central; Upper;
Lower; Province; Region; District; Coast; Bridge; Dam; Plaza; Square; Republic; Kingdom; States; Saint; St.; San; Santa
""")

TIMES: Final = _words("""
January; February; March; April; May; June; July; August; September; October; November; December; Jan.; Feb.; Mar.;
Apr.; Jun.; Jul.; Aug.; Sept.; Sep.; Oct.; Nov.; Dec.; Jan; Feb; Mar; Apr; Jun; Jul; Aug; Sep; Oct; Nov; Dec; Monday;
Tuesday; Wednesday; Thursday; Friday; Saturday; Sunday; percent; million; billion; dollars; years; year; miles; feet;
pounds; tons; hours; minutes; GMT; EST; a.m.; p.m.; today; yesterday; century
""")

KILLING: Final = _words("""
kill; kills; killed; killing; killer; murder; murders; murdered; murdering; murderer; assassin; assassins; assassinate;
assassinated; assassinating; assassination; assassinations; slay; slaying; slain; shoot; shot; shooting; shots; gunman;
gunned; stabbed; stab; strangled; poisoned; death; died; dead; fatally; fired; execute; executed; gun; rifle; pistol;
convicted; convicting; hanged; beheaded; bombing
""")

WORKING: Final = _words("""
spokesman; spokeswoman; spokesperson; president; chairman; director; executive; manager; editor; reporter;
correspondent; secretary; minister; officer; official; head; chief; member; leader; professor; analyst; economist;
attorney; lawyer; judge; commander; agent; engineer; scientist; researcher; employee; worker; works; worked; working;
joined; hired; employed; serves; served; coach; founder; co-founder; partner; vice; deputy; assistant; aide;
representative; commissioner; superintendent; administrator; coordinator; curator; physicist; staff; astronaut; pilot
""")

LIVING: Final = _words("""
born; native; resident; residents; residence; lives; lived; living; live; home; hometown; grew; raised; moved; reared;
settled; governor; gov.; mayor; sen.; senator; rep.; congressman; d-; r-; president; king; queen; premier; ambassador;
prime; citizen; buried; died; neighbor; farmer; house
""")

BASING: Final = _words("""
based; headquarters; headquartered; offices; office; located; plant; plants; factory; branch; unit; subsidiary; opened;
operates; operated; maker; bureau
""")

LISTS: Final[dict[str, frozenset[str]]] = {
    "state": STATES,
    "country": COUNTRIES,
    "city": CITIES,
    "given": GIVEN_NAMES,
    "title": TITLES,
    "orgword": ORGANISATION_WORDS,
    "placeword": PLACE_WORDS,
    "time": TIMES,
}
"""Lists in which phrases and their words are looked up."""

TRIGGERS: Final[dict[str, frozenset[str]]] = {
    "killing": KILLING,
    "working": WORKING,
    "living": LIVING,
    "basing": BASING,
}
"""Lists in which the words between and around two phrases are looked up."""
