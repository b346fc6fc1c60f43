"""Words of dates and amounts, and of what is neither person, place nor organisation: events, works, products."""

from __future__ import annotations

from typing import Final

from engine.features.wordlists.reading import words

TIMES: Final = words("""
a.m.; Apr; Apr.; April; Aug; Aug.; August; billion; century; Dec; Dec.; December; dollars; EST; Feb; Feb.; February;
feet; Friday; GMT; hours; Jan; Jan.; January; Jul; Jul.; July; Jun; Jun.; June; Mar; Mar.; March; May; miles; million;
minutes; Monday; Nov; Nov.; November; Oct; Oct.; October; p.m.; percent; pounds; Saturday; Sep; Sep.; Sept.;
September; Sunday; Thursday; today; tons; Tuesday; Wednesday; year; years; yesterday
""")

EVENTS: Final = words("""
Accord; Accords; Act; Agreement; AIDS; Airbus; Allah; Alzheimer; Amendment; Apollo; Arabic; Article; Atlantis; Avenue;
Award; Awards; B-1; B-52; Bible; Bill; Boeing; Bowl; Buddha; Cadillac; Category; cents; Challenger; Championship;
Chapter; Chevrolet; Chinese; Christ; Christmas; Code; Columbia; Concerto; Constitution; Convention; Cruise; Cup; Day;
Declaration; Depression; Discovery; Disease; dlrs; Dow; Easter; Emmy; Endeavour; English; F-16; Flight; French; Games;
German; God; Grammy; Hanukkah; Heart; Hebrew; Highway; HIV; Holocaust; Honda; Hubble; Hurricane; Index; Initiative;
Internet; Interstate; Iran-Contra; Japanese; Jesus; July; Koran; Latin; Law; Mass; Medal; Medicare; Mercedes; MiG;
Month; Mustang; Nasdaq; No.; Nobel; Olympic; Olympics; Open; Opera; Operation; Order; Oscar; Parkinson; Party;
Passover; Patriot; Pershing; Plan; Prize; Prizes; Program; Project; Protocol; Pulitzer; Quran; Ramadan; Renaissance;
Report; Revolution; Route; Rule; Russian; Santa Claus; Satan; Scud; Section; Series; Show; Song; Soyuz; Spanish; Star;
Stealth; Storm; Street; Sunday; Symphony; Syndrome; System; Test; Testament; Thanksgiving; Titan; Title; Torah;
Toyota; Treaty; Typhoon; Voyager; War; Wars; Watergate; Week
""")
