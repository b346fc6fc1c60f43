"""Names of places, and words in names of places."""

from __future__ import annotations

from typing import Final

from engine.features.wordlists.reading import words

STATES: Final = words("""
Ala.; Alabama; Alaska; Alberta; Ariz.; Arizona; Ark.; Arkansas; AZ; CA; Calif.; California; CO; Colo.; Colorado;
Conn.; Connecticut; D.C.; Del.; Delaware; FL; Fla.; Florida; GA; Ga.; Georgia; Hawaii; Idaho; IL; Ill.; Illinois;
Ind.; Indiana; Iowa; Kan.; Kansas; Kentucky; Ky.; La.; Louisiana; MA; Maine; Manitoba; Maryland; Mass.; Massachusetts;
MD; Md.; MI; Mich.; Michigan; Minn.; Minnesota; Miss.; Mississippi; Missouri; MN; MO; Mo.; Mont.; Montana; N.C.; N.D.;
N.H.; N.J.; N.M.; N.Y.; NC; Neb.; Nebraska; Nev.; Nevada; New Hampshire; New Jersey; New Mexico; New York; NJ;
North Carolina; North Dakota; NY; OH; Ohio; Okla.; Oklahoma; Ontario; Ore.; Oregon; PA; Pa.; Pennsylvania;
Puerto Rico; Quebec; R.I.; Rhode Island; S.C.; S.D.; SC; South Carolina; South Dakota; Tenn.; Tennessee; Tex.; Texas;
TN; TX; Utah; VA; Va.; Vermont; Virginia; Vt.; W.Va.; WA; Wash.; Washington; West Virginia; Wis.; Wisconsin; Wyo.;
Wyoming
""")

COUNTRIES: Final = words("""
Afghanistan; Albania; Algeria; Angola; Argentina; Armenia; Australia; Austria; Azerbaijan; Bahamas; Bahrain;
Bangladesh; Belarus; Belgium; Belize; Benin; Bolivia; Bosnia; Botswana; Brazil; Britain; Bulgaria; Burma; Burundi;
Cambodia; Cameroon; Canada; Chad; Chile; China; Colombia; Congo; Costa Rica; Croatia; Cuba; Cyprus; Czechoslovakia;
Denmark; Dominican Republic; East Germany; Ecuador; Egypt; El Salvador; England; Eritrea; Estonia; Ethiopia; Finland;
France; Gabon; Georgia; Germany; Ghana; Great Britain; Greece; Grenada; Guatemala; Guinea; Guyana; Haiti; Honduras;
Hong Kong; Hungary; Iceland; India; Indonesia; Iran; Iraq; Ireland; Israel; Italy; Ivory Coast; Jamaica; Japan;
Jordan; Kazakhstan; Kenya; Korea; Kuwait; Kyrgyzstan; Laos; Latvia; Lebanon; Lesotho; Liberia; Libya; Lithuania;
Luxembourg; Macedonia; Madagascar; Malawi; Malaysia; Mali; Malta; Mauritania; Mexico; Moldova; Mongolia; Morocco;
Mozambique; Myanmar; Namibia; Nepal; Netherlands; New Zealand; Nicaragua; Niger; Nigeria; North Korea;
Northern Ireland; Norway; Oman; Pakistan; Panama; Paraguay; Peru; Philippines; Poland; Portugal; PRC; Qatar; Romania;
Russia; Rwanda; Saudi Arabia; Scotland; Senegal; Serbia; Sierra Leone; Singapore; Slovakia; Slovenia; Somalia;
South Africa; South Korea; Soviet Union; Spain; Sri Lanka; Sudan; Sweden; Switzerland; Syria; Taiwan; Tajikistan;
Tanzania; Thailand; Tunisia; Turkey; Turkmenistan; U.K.; U.S.; U.S.A.; U.S.S.R.; Uganda; UK; Ukraine;
United Arab Emirates; United Kingdom; United States; Uruguay; US; USSR; Uzbekistan; Venezuela; Vietnam; Wales;
West Germany; Yemen; Yugoslavia; Zaire; Zambia; Zimbabwe
""")

CITIES: Final = words("""
Aachen; Aberdeen; Abidjan; Abilene; Abu Dhabi; Abuja; Acapulco; Accra; Addis Ababa; Adelaide; Aden; Akron; Albany;
Aleppo; Alexandria; Algiers; Allentown; Alma-Ata; Almaty; Altoona; Amarillo; Amman; Amsterdam; Anaheim; Anchorage;
Ankara; Ann Arbor; Annapolis; Antananarivo; Antwerp; Arkhangelsk; Arlington; Asheville; Ashgabat; Ashkhabad; Asmara;
Aspen; Astana; Asuncion; Athens; Atlanta; Auckland; Augusta; Aurora; Auschwitz; Austin; Baghdad; Bakersfield; Baku;
Baltimore; Bamako; Bangalore; Bangkok; Bangor; Bangui; Banja Luka; Banjul; Barcelona; Barnaul; Barstow; Basel; Basra;
Baton Rouge; Bayreuth; Beaumont; Beijing; Beirut; Belem; Belfast; Belgrade; Bellevue; Belo Horizonte; Benghazi;
Bergen; Berkeley; Berlin; Bern; Berne; Bethesda; Bethlehem; Bethpage; Beverly Hills; Bihac; Bilbao; Billings; Biloxi;
Binghamton; Birmingham; Bishkek; Bismarck; Bissau; Bloomington; Boca Raton; Bogota; Boise; Bologna; Bombay; Bonn;
Bordeaux; Boston; Boulder; Bowling Green; Bozeman; Brasilia; Bratislava; Brazzaville; Bremen; Brest; Bridgeport;
Bridgetown; Brighton; Brisbane; Bristol; Brno; Bronx; Brooklyn; Bruges; Brussels; Bucharest; Buchenwald; Budapest;
Buenos Aires; Buffalo; Bujumbura; Burbank; Burlington; Busan; Butte; Cadiz; Cairo; Calais; Calcutta; Calgary; Cali;
Cambridge; Camden; Canberra; Cannes; Canton; Cape Canaveral; Cape Town; Caracas; Cardiff; Carson City; Casablanca;
Cedar Rapids; Chapel Hill; Charleston; Charlotte; Charlottesville; Chattanooga; Chelyabinsk; Chengdu; Chernobyl;
Cheyenne; Chiang Mai; Chicago; Chico; Chongqing; Christchurch; Cincinnati; Ciudad Juarez; Clearwater; Cleveland;
Cologne; Colombo; Colorado Springs; Columbia; Columbus; Compton; Conakry; Concord; Copenhagen; Coral Gables; Cordoba;
Cork; Corpus Christi; Corvallis; Coventry; Cracow; Da Nang; Dachau; Dakar; Dalian; Dallas; Damascus; Danang;
Dar es Salaam; Darwin; Davenport; Davos; Dayton; Daytona Beach; Dearborn; Delhi; Denver; Des Moines; Detroit; Dhahran;
Dhaka; Dijon; Djakarta; Dnepropetrovsk; Dodge City; Doha; Donetsk; Dortmund; Dover; Dresden; Dubai; Dublin; Dubrovnik;
Duesseldorf; Duluth; Dunkirk; Durban; Durham; Dushanbe; Dusseldorf; Edinburgh; Eindhoven; Ekaterinburg; El Paso;
Elizabeth; Elmira; Erie; Essen; Eugene; Evanston; Evansville; Everett; Fairbanks; Fairfax; Fargo; Fayetteville; Fez;
Flagstaff; Flint; Florence; Fort Lauderdale; Fort Wayne; Fort Worth; Frankfort; Frankfurt; Freeport; Freetown;
Fremont; Fresno; Fukuoka; Gaborone; Gainesville; Gallup; Galveston; Garden Grove; Gary; Gaza; Gaza City; Gdansk;
Geneva; Genoa; Gettysburg; Ghent; Glasgow; Glendale; Goma; Gomel; Gorazde; Goteborg; Gothenburg; Grand Island;
Grand Rapids; Graz; Great Falls; Green Bay; Greensboro; Greenville; Grozny; Guadalajara; Guangzhou; Guantanamo;
Guatemala City; Guayaquil; Gulfport; Hackensack; Haifa; Haiphong; Halifax; Hamburg; Hamilton; Hangzhou; Hannover;
Hanoi; Hanover; Harare; Harbin; Harlem; Harrisburg; Hartford; Hattiesburg; Havana; Hebron; Helena; Helsinki;
Hempstead; Hermosillo; Hiroshima; Ho Chi Minh City; Hoboken; Hollywood; Honolulu; Houston; Huntington;
Huntington Beach; Huntsville; Hyannis; Hyderabad; Idaho Falls; Incheon; Inchon; Independence; Indianapolis; Innsbruck;
Iowa City; Irkutsk; Irvine; Irving; Islamabad; Istanbul; Ithaca; Izmir; Jackson; Jacksonville; Jaffa; Jakarta;
Jalalabad; Jeddah; Jefferson City; Jericho; Jersey City; Jerusalem; Jiddah; Johannesburg; Johnstown; Joplin; Kabul;
Kaduna; Kampala; Kandahar; Kano; Kansas City; Kaohsiung; Karachi; Karlsruhe; Kathmandu; Katmandu; Kaunas; Kazan;
Kharkov; Khartoum; Kiev; Kigali; Kingston; Kinshasa; Kirkuk; Knoxville; Kobe; Kosice; Krakow; Krasnodar; Krasnoyarsk;
Kuala Lumpur; Kuwait City; Kyoto; La Paz; Lafayette; Lagos; Laguna Beach; Lahore; Lake Charles; Lancaster; Lansing;
Laredo; Las Cruces; Las Vegas; Lausanne; Lawrence; Leeds; Leipzig; Leningrad; Levittown; Lewiston; Lexington;
Libreville; Lille; Lillehammer; Lima; Lincoln; Lisbon; Little Rock; Littleton; Livermore; Liverpool; Ljubljana; Lodz;
Lome; London; Long Beach; Los Alamos; Los Angeles; Louisville; Luanda; Lubbock; Lubumbashi; Lucerne; Lusaka; Luxor;
Lviv; Lvov; Lynchburg; Lyon; Lyons; Maastricht; Macao; Macau; Macon; Madras; Madrid; Magdeburg; Malaga; Malibu;
Managua; Manama; Manchester; Mandalay; Manhattan; Manila; Mannheim; Maputo; Maracaibo; Marrakech; Marseille;
Marseilles; Maseru; Mecca; Medellin; Medford; Medina; Melbourne; Memphis; Menlo Park; Merida; Meridian; Mesa;
Mexico City; Miami; Miami Beach; Midland; Milan; Milwaukee; Minneapolis; Minot; Minsk; Missoula; Mobile; Modesto;
Mogadishu; Mombasa; Monroe; Monrovia; Montclair; Monte Carlo; Monterey; Monterrey; Montevideo; Montgomery; Montpelier;
Montreal; Moscow; Mostar; Mosul; Mountain View; Multan; Munich; Murmansk; Muscat; Myrtle Beach; Nablus; Nagasaki;
Nagoya; Nairobi; Nanjing; Nantes; Nantucket; Naples; Nashua; Nashville; Nassau; Natchez; Ndjamena; Nevers; New Delhi;
New Haven; New London; New Orleans; New Rochelle; New York City; Newark; Newport; Newport Beach; Newport News; Niamey;
Nice; Nicosia; Nizhny Novgorod; Norfolk; Norilsk; Northampton; Norwalk; Norwich; Nottingham; Nouakchott; Novosibirsk;
Nuremberg; Oak Ridge; Oakland; Oceanside; Odessa; Ogden; Oklahoma City; Olympia; Omaha; Omsk; Oran; Orlando; Osaka;
Osijek; Oslo; Ottawa; Ouagadougou; Overland Park; Owensboro; Oxford; Oxnard; Paducah; Palermo; Palm Beach;
Palm Springs; Palo Alto; Panama City; Paris; Pasadena; Paterson; Pearl Harbor; Pensacola; Peoria; Perm; Perth;
Peshawar; Petersburg; Philadelphia; Phnom Penh; Phoenix; Pierre; Pine Bluff; Piraeus; Pittsburgh; Plano; Plattsburgh;
Plymouth; Pocatello; Podgorica; Pomona; Pontiac; Port Arthur; Port Moresby; Port Said; Port Stanley; Port-au-Prince;
Portland; Porto; Porto Alegre; Portsmouth; Potsdam; Poughkeepsie; Poznan; Prague; Praia; Pretoria; Princeton;
Pristina; Providence; Provo; Puebla; Punta Arenas; Pusan; Pyongyang; Qingdao; Quebec City; Queens; Quetta; Quito;
Rabat; Racine; Raleigh; Ramallah; Rangoon; Rapid City; Reading; Recife; Redding; Redmond; Redwood City; Reims; Reno;
Reston; Reykjavik; Richmond; Riga; Rijeka; Rio de Janeiro; Riverside; Riyadh; Roanoke; Rochester; Rockford; Rome;
Rosario; Rostock; Rostov; Roswell; Rotterdam; Rouen; Sacramento; Saginaw; Saigon; Salem; Salina; Salonika;
Salt Lake City; Salvador; Salzburg; Samara; Samarkand; San Antonio; San Bernardino; San Diego; San Francisco;
San Jose; San Juan; San Mateo; San Rafael; San Salvador; San Sebastian; Sanaa; Santa Ana; Santa Barbara; Santa Clara;
Santa Cruz; Santa Fe; Santa Monica; Santa Rosa; Santiago; Santo Domingo; Sao Paulo; Sapporo; Sarajevo; Sarasota;
Saratov; Savannah; Schenectady; Scottsdale; Scranton; Seattle; Secaucus; Selma; Sendai; Seoul; Sevastopol; Seville;
Shanghai; Sheffield; Shenyang; Shenzhen; Shiraz; Shreveport; Sidon; Silver Spring; Simferopol; Singapore; Sioux City;
Sioux Falls; Skopje; Smolensk; Sochi; Sofia; Somerville; South Bend; Southampton; Split; Spokane; Springfield;
Srebrenica; Srinagar; St. Cloud; St. Louis; St. Paul; St. Petersburg; Stalingrad; Stamford; State College;
Staten Island; Stockholm; Stockton; Strasbourg; Stuttgart; Suez; Sunnyvale; Surabaya; Suva; Sverdlovsk; Sydney;
Syracuse; Szczecin; Tabriz; Tacoma; Taegu; Taipei; Tallahassee; Tallinn; Tampa; Tangier; Tashkent; Tbilisi;
Tegucigalpa; Tehran; Tel Aviv; Tempe; Terre Haute; Texarkana; The Hague; Thessaloniki; Tianjin; Tijuana; Timbuktu;
Timisoara; Tirana; Tokyo; Toledo; Topeka; Toronto; Torrance; Toulouse; Trenton; Trieste; Tripoli; Troy; Tucson;
Tucumcari; Tula; Tulsa; Tunis; Tupelo; Turin; Tuscaloosa; Tuzla; Tyler; Tyre; Ufa; Ulan Bator; Ulm; Uppsala; Utica;
Utrecht; Valencia; Vallejo; Valletta; Valparaiso; Van Nuys; Vancouver; Varanasi; Varna; Venice; Veracruz; Verona;
Versailles; Vicksburg; Victoria; Vienna; Vientiane; Vilnius; Virginia Beach; Visalia; Vitebsk; Vladivostok; Volgograd;
Vukovar; Waco; Warsaw; Warwick; Waterbury; Waterloo; Waukegan; Weimar; Wellington; Wheeling; White Plains; Wichita;
Wilkes-Barre; Williamsburg; Wilmington; Windhoek; Windsor; Winnipeg; Winston-Salem; Worcester; Wroclaw; Wuhan;
Wuppertal; Xiamen; Xian; Yakima; Yalta; Yangon; Yaounde; Yaroslavl; Yekaterinburg; Yerevan; Yokohama; Yonkers; York;
Youngstown; Yuma; Zagreb; Zaporozhye; Zenica; Zurich
""")

REGIONS: Final = words("""
Abkhazia; Adriatic; Aegean; Africa; Alps; Alsace; Amazon; America; American Samoa; Andalusia; Andes; Andorra;
Antarctica; Antigua; Appalachia; Arctic; Arctic Ocean; Aruba; Asia; Atlantic; Atlantic Ocean; Australia; Azores;
Bahamas; Bahrain; Baja California; Bali; Balkans; Baltic; Baltic Sea; Baltic States; Baltics; Barbados; Bashkortostan;
Basque Country; Bavaria; Bay Area; Belorussia; Benin; Bermuda; Bessarabia; Bhutan; Biafra; Black Sea; Bohemia;
Bophuthatswana; Borneo; Bosnia-Hercegovina; Bosnia-Herzegovina; Brandenburg; British Columbia; Brittany; Broadway;
Brunei; Buckingham Palace; Burkina Faso; Byelorussia; Camp David; Canary Islands; Cape Canaveral; Cape Cod;
Cape Verde; Capitol Hill; Caribbean; Carpathians; Caspian Sea; Catalina; Catalonia; Caucasus;
Central African Republic; Central America; Central Asia; Central Europe; Ceylon; Chechnya; Chiapas; CIS; Ciskei;
Colorado River; Columbia River; Commonwealth of Independent States; Comoros; Congo River; Cook County; Cornwall;
Corsica; Crete; Crimea; Curacao; Cyprus; Czech Republic; Dade County; Dagestan; Dalmatia; Danube; Deep South; Devon;
Djibouti; Dniester; Dominica; DPRK; East Africa; East Asia; East Coast; East Jerusalem; East Timor; Eastern Europe;
English Channel; Equatorial Guinea; Essex; Euphrates; Europe; Everglades; Falkland Islands; Falklands; Far East;
Faroe Islands; Fiji; Flanders; Formosa; Fort Bragg; French Guiana; FRG; Galapagos; Galicia; Galilee; Gambia; Ganges;
Gaza Strip; GDR; Gibraltar; Golan Heights; Grand Canyon; Great Lakes; Great Plains; Greenland; Grenada; Guadalcanal;
Guadeloupe; Guam; Guinea-Bissau; Gulf; Gulf of Mexico; Hawaii; Herzegovina; Hesse; Himalayas; Hokkaido; Hollywood;
Holy See; Honshu; Hudson River; Indian Ocean; Indochina; Ingushetia; Inner Mongolia; Ivory Coast; Iwo Jima; Jamaica;
Java; Jordan River; Judea; Kamchatka; Kampuchea; Karabakh; Kashmir; Katanga; Kauai; Kennedy Space Center; Kent;
Kirghizia; Kirgizia; Kosovo; Krajina; Kremlin; Kurdistan; Kurile Islands; Kuriles; Kwazulu; Kyushu; Labrador;
Lake Erie; Lake Huron; Lake Michigan; Lake Ontario; Lake Superior; Latin America; Liechtenstein; Long Island;
Los Angeles County; Luxembourg; Luzon; Macedonia; Madeira; Maldives; Manchuria; Manhattan; Marshall Islands;
Martha's Vineyard; Martinique; Maui; Mauritania; Mauritius; Mediterranean; Mekong; Mesopotamia; Micronesia;
Middle East; Mideast; Midway; Midwest; Mindanao; Mississippi River; Missouri River; Moldavia; Monaco; Montenegro;
Moravia; Mount Everest; Mount St. Helens; Nagorno-Karabakh; Natal; Near East; New Brunswick; New England; New Guinea;
New South Wales; Newfoundland; Nile; Normandy; North Africa; North America; North Atlantic; North Ossetia; North Sea;
Northwest Territories; Nova Scotia; Oahu; Oaxaca; Oceania; Ohio River; Okinawa; Orange County; Ossetia; Ozarks;
Pacific; Pacific Northwest; Pacific Ocean; Palestine; Panama Canal; Papua New Guinea; Patagonia;
People's Republic of China; Persia; Persian Gulf; Potomac; Potomac River; Prince Edward Island; Provence; Prussia;
Punjab; Pyrenees; Quebec; Queensland; Red Sea; Red Square; Republic of Korea; Rhine; Rhodesia; Rio Grande; Rockies;
Rocky Mountains; ROK; Russian Federation; Ruthenia; Rwanda; Sakhalin; Samaria; Samoa; San Marino; Sardinia;
Saskatchewan; Saxony; Scandinavia; Sea of Japan; Seine; Seychelles; Shaba; Siam; Siberia; Sicily; Sierra Nevada;
Silesia; Silicon Valley; Sinai; Slavonia; Slovak Republic; Solomon Islands; Sonora; South America; South Asia;
South China Sea; South Ossetia; South Pacific; Southeast Asia; southern Africa; Southwest; Soviet Russia; Spitsbergen;
St. Kitts; St. Lucia; Sub-Saharan Africa; Suez Canal; Sumatra; Surinam; Suriname; Sussex; Swaziland; Tahiti;
Tanganyika; Tasmania; Tatarstan; Thames; Thrace; Three Mile Island; Tiananmen Square; Tibet; Tigris; Times Square;
Timor; Togo; Tonga; Transcaucasia; Transdniestria; Transkei; Transvaal; Transylvania; Trinidad; Turkmenia; UAE;
Ulster; Urals; Vanuatu; Vatican; Vatican City; Victoria; Virgin Islands; Vojvodina; Volga; Wake Island; Wall Street;
West Africa; West Bank; West Coast; Western Europe; White House; Xinjiang; Yangtze; Yellow River; Yorkshire; Yucatan;
Yukon; Zanzibar
""")

PLACE_WORDS: Final = words("""
Airport; Alley; Archipelago; Arena; Ave.; Avenue; Base; Basilica; Basin; Bay; Beach; Bend; Bluff; Bluffs; Blvd.;
Borough; Boulevard; Bridge; Brook; Building; Camp; Canal; Canton; Canyon; Cape; Castle; Cathedral; Cemetery; Central;
Channel; City; Ciudad; Cliffs; Coast; Colony; Corridor; County; Cove; Creek; Crossing; Crossroads; Dam; Delta; Depot;
Desert; District; Downs; Drive; Dunes; East; Eastern; Emirates; Estate; Estates; Expressway; Falls; Farm; Farms;
Federation; Field; Fields; Flats; Forest; Fork; Fort; Freeway; Garden; Gardens; Glacier; Glen; Gorge; Great; Greater;
Grove; Gulf; Hall; Harbor; Heights; Highland; Highlands; Highway; Hill; Hills; Hollow; Inlet; Inner; Interstate;
Island; Islands; Isle; Junction; Key; Keys; Kingdom; Krai; Kray; Lagoon; Lake; Lakes; Landing; Lane; Las; Line; Los;
Lower; Mall; Manor; Marina; Marsh; Meadow; Meadows; Mesa; Metro; Mid; Mill; Mills; Mission; Monument; Motel; Mount;
Mountain; Mountains; Mt.; New; North; Northeast; Northeastern; Northern; Northwest; Northwestern; Oasis; Oblast;
Ocean; Outer; Palace; Parish; Park; Parkway; Pass; Peak; Peninsula; Pier; Plain; Plains; Plantation; Plateau; Plaza;
Point; Pond; Port; Prairie; Prefecture; Province; Puerto; Raion; Ranch; Range; Rapids; Rayon; Rd.; Reef; Refuge;
Region; Republic; Reservation; Reservoir; Resort; Ridge; Rio; River; Rivers; Road; Rock; Rocks; Route; Rural; Saint;
San; Sands; Santa; Sea; Shire; Shore; Shores; Site; Sound; South; Southeast; Southeastern; Southern; Southwest;
Southwestern; Spring; Springs; Square; St.; Stadium; States; Station; Strait; Straits; Street; Strip; Summit; Swamp;
Terminal; Terrace; Territories; Territory; Tower; Towers; Town; Township; Trail; Tunnel; Turnpike; Upper; Valley;
Valleys; Villa; Village; Villas; Vista; Volcano; Wall; Ward; Waterway; Way; Wells; West; Western; Wilderness; Woods;
Zone
""")
