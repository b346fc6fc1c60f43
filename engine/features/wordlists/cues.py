"""Words that hint at a relation between two names."""

from __future__ import annotations

from typing import Final

from engine.features.wordlists.reading import words

KILLING: Final = words("""
assassin; assassinate; assassinated; assassinating; assassination; assassinations; assassins; beheaded; bombing;
convicted; convicting; dead; death; died; execute; executed; fatally; fired; gun; gunman; gunned; hanged; kill;
killed; killer; killing; kills; murder; murdered; murderer; murdering; murders; pistol; poisoned; rifle; shoot;
shooting; shot; shots; slain; slay; slaying; stab; stabbed; strangled
""")

WORKING: Final = words("""
administrator; agent; aide; analyst; assistant; astronaut; attorney; chairman; chief; co-founder; coach; commander;
commissioner; coordinator; correspondent; curator; deputy; director; economist; editor; employed; employee; engineer;
executive; founder; head; hired; joined; judge; lawyer; leader; manager; member; minister; officer; official; partner;
physicist; pilot; president; professor; reporter; representative; researcher; scientist; secretary; served; serves;
spokesman; spokesperson; spokeswoman; staff; superintendent; vice; worked; worker; working; works
""")

LIVING: Final = words("""
ambassador; born; buried; citizen; congressman; d-; died; farmer; gov.; governor; grew; home; hometown; house; king;
live; lived; lives; living; mayor; moved; native; neighbor; premier; president; prime; queen; r-; raised; reared;
rep.; residence; resident; residents; sen.; senator; settled
""")

BASING: Final = words("""
based; branch; bureau; factory; headquartered; headquarters; located; maker; office; offices; opened; operated;
operates; plant; plants; subsidiary; unit
""")

FAMILY: Final = words("""
aunt; boyfriend; brother; brothers; child; children; couple; cousin; daughter; daughters; divorced; ex-husband;
ex-wife; family; father; fiance; fiancee; friend; friends; girlfriend; granddaughter; grandfather; grandmother;
grandson; husband; marriage; married; marry; mother; nephew; niece; parents; sister; sisters; son; sons; stepfather;
stepson; twin; uncle; widow; widower; wife
""")

LOCATING: Final = words("""
airport; area; base; border; capital; central; city; coast; community; county; district; downtown; east; eastern;
island; kilometers; km; located; mile; miles; near; nearby; neighborhood; north; northeast; northern; northwest;
outside; port; province; region; river; site; south; southeast; southern; southwest; state; suburb; suburban; suburbs;
town; valley; village; west; western
""")

SPEAKING: Final = words("""
according; acknowledged; added; adding; announced; argued; asked; called; calls; claimed; contends; declared; denied;
explained; insisted; noted; predicted; quoted; reported; reports; said; say; says; speaking; spoke; stated; testified;
told; warned; writes; wrote
""")

MEETING: Final = words("""
against; appointed; arrived; beat; between; conference; defeated; elected; flew; flight; invited; left; meet; meeting;
met; named; nominated; replaced; replacing; returned; succeeded; summit; talks; tour; traveled; trip; versus; visit;
visited; visiting; went
""")
