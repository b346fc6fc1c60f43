"""Names of organisations, and words in such names."""

from __future__ import annotations

from typing import Final

from engine.features.wordlists.reading import words

ORGANISATIONS: Final = words("""
ABC; ABC News; ABC-TV; ACLU; Aeroflot; AFL-CIO; African National Congress; Agence France-Presse;
Agriculture Department; Air Force; Air France; Al Fatah; AMA; Amal; American Airlines; American Bar Association;
American Civil Liberties Union; American Express; American Medical Association; American Red Cross;
American Telephone & Telegraph; Amnesty International; Amtrak; ANC; Anheuser-Busch; ANSA; AP; Apple; Apple Computer;
Arab League; Army; Army Corps of Engineers; ASEAN; Associated Press; AT&T; ATF; Atlanta Constitution; Bank of America;
Bank of England; BankAmerica; BBC; Bechtel; Bell Atlantic; Bell Laboratories; Bell Labs; BellSouth; Boeing;
Boeing Co.; Boston Globe; BP; British Airways; British Petroleum; Brookings Institution; Bundesbank; Bundestag;
Bureau of Land Management; Cable News Network; Caltech; Cambridge University; Capitol Police; CBS; CBS News; CBS-TV;
CDC; Census Bureau; Centers for Disease Control; Central Intelligence Agency; Chevron; Chicago Tribune; Chrysler;
Chrysler Corp.; CIA; CIS; Citibank; Citicorp; CNN; Coast Guard; Coca-Cola; Columbia University; COMECON;
Commerce Department; Common Cause; Communist Party; Congress; Congressional Budget Office;
Consumer Product Safety Commission; Cornell University; CPI; CPSU; CSCE; CTK; Customs Service; Daimler-Benz;
Dallas Morning News; DEA; Defense Department; Delta; Delta Air Lines; Democratic Party; Department of Agriculture;
Department of Defense; Department of Energy; Department of Justice; Department of State; Department of the Interior;
Department of Transportation; Deutsche Bank; Dow Chemical; Dow Jones; DPA; Drug Enforcement Administration; Du Pont;
Duma; DuPont; Eastern Airlines; Eastman Kodak; EC; ECB; Education Department; EEC; EFE; Energy Department;
Environmental Protection Agency; EPA; ESA; EU; European Bank; European Commission; European Community;
European Parliament; European Space Agency; European Union; Export-Import Bank; Exxon; FAA; Fatah; FBI; FCC; FDA;
FDIC; Federal Aviation Administration; Federal Bureau of Investigation; Federal Communications Commission;
Federal Emergency Management Agency; Federal Reserve; Federal Reserve Board; Federal Trade Commission; FEMA;
Fish and Wildlife Service; FMLN; Food and Drug Administration; Ford; Ford Motor Co.; Forest Service; FTC; GAO; GATT;
GE; General Accounting Office; General Dynamics; General Electric; General Electric Co.; General Motors;
General Motors Corp.; Geological Survey; Georgetown University; GM; Goldman Sachs; GOP; Greenpeace; Greyhound; GTE;
Hamas; Harvard; Harvard Medical School; Harvard University; Health and Human Services Department; Hewlett-Packard;
Hezbollah; Hizballah; Honda; Honeywell; House; House of Commons; House of Lords; House of Representatives;
Houston Chronicle; HUD; IAEA; IBM; IMF; Immigration and Naturalization Service; INS; Intel; INTERFAX;
Interior Department; Internal Revenue Service; International Business Machines; International Monetary Fund;
International Red Cross; Interpol; IOC; IRA; Irish Republican Army; IRNA; IRS; Islamic Jihad; ITAR-TASS; ITT;
Izvestia; Izvestiya; Jet Propulsion Laboratory; Johns Hopkins; Johns Hopkins University; Johnson & Johnson; JPL;
Justice Department; KGB; Khmer Rouge; KKK; Knesset; Kodak; Ku Klux Klan; KYODO; Labor Department; Labor Party;
Labour Party; League of Women Voters; Library of Congress; Likud; Lockheed; Lockheed Martin; Los Angeles Times;
Lufthansa; Marine Corps; Marines; Massachusetts Institute of Technology; Mayo Clinic; McDonald's; McDonnell Douglas;
MCI; Medicaid; Medicare; MENA; Merrill Lynch; Miami Herald; Microsoft; MIT; Mitsubishi; Mobil; Monsanto;
Morgan Stanley; Mossad; Motorola; MTI; NAACP; NASA; National Academy of Sciences;
National Aeronautics and Space Administration; National Cancer Institute; National Guard; National Hurricane Center;
National Institutes of Health; National Park Service; National Rifle Association; National Science Foundation;
National Security Agency; National Security Council; National Transportation Safety Board; National Weather Service;
NATO; Navy; NBA; NBC; NBC News; New York Stock Exchange; New York Times; New York University; New Yorker; Newsday;
Newsweek; NFL; NHL; NIH; Nissan; NOAA; Northrop; Northwest Airlines; Northwestern University; NPR; NRA; NRC; NSA; NSC;
NTSB; Nuclear Regulatory Commission; OAS; OAU; OECD; Office of Management and Budget; OMB; OPEC;
Organization of American States; OSCE; OSHA; Oxford University; Pacific Gas & Electric;
Palestine Liberation Organization; Pan Am; Pan American; PAP; Parliament; Peace Corps; Pentagon; People's Daily;
Pepsi; PepsiCo; Philadelphia Inquirer; Philip Morris; Planned Parenthood; PLO; Politburo; Postal Service; Pravda;
Princeton University; Procter & Gamble; RAND; Rand Corp.; Reader's Digest; Red Army; Red Cross; Republican Party;
Reuters; Rockwell; Rockwell International; Rolls-Royce; Royal Air Force; San Francisco Chronicle; SANA; Sears; SEC;
Secret Service; Securities and Exchange Commission; Senate; Shell; Shining Path; Siemens; Sierra Club; Sikorsky;
Sinn Fein; Small Business Administration; Smithsonian; Smithsonian Institution; Social Security Administration;
Solidarity; Sony; Southwest Airlines; Stanford; Stanford University; State Department; State Duma; Supreme Court;
SWAPO; TANJUG; TASS; Teamsters; Texaco; Texas Instruments; The Associated Press; The Boston Globe;
The Los Angeles Times; The Miami Herald; The New York Times; The Wall Street Journal; The Washington Post; Time;
Time magazine; Time Warner; Times; Toshiba; Toyota; Trans World Airlines; Transportation Department; Treasury;
Treasury Department; TRW; TWA; U.N.; U.N. Security Council; U.S. Air Force; U.S. Army; U.S. Coast Guard;
U.S. Congress; U.S. Customs Service; U.S. Embassy; U.S. Forest Service; U.S. Geological Survey; U.S. House;
U.S. Marine Corps; U.S. Navy; U.S. Postal Service; U.S. Senate; U.S. Supreme Court; UAW; UCLA; UN; UNESCO; UNHCR;
UNICEF; Union Carbide; UNITA; United Airlines; United Auto Workers; United Nations; United Parcel Service;
United Press International; University of California; University of Chicago; University of Illinois;
University of Michigan; University of Minnesota; University of Pennsylvania; University of Texas;
University of Virginia; University of Washington; University of Wisconsin; UNPROFOR; UPI; UPS; USA Today; USDA; VA;
Veterans Administration; Viet Cong; VOA; Voice of America; Volkswagen; Volvo; Wal-Mart; Wall Street Journal;
Walt Disney; Warner Bros.; Warsaw Pact; Washington Post; Wells Fargo; Westinghouse; WHO; Women's Wear Daily;
World Bank; World Health Organization; WTO; Xerox; XINHUA; Yale; Yale University; YMCA; YONHAP; ZANU
""")

ORGANISATION_WORDS: Final = words("""
ABC; Academies; Academy; Administration; Aerospace; AFP; AG; Agencies; Agency; Air; Airline; Airlines; Airways;
Alliance; AP; Archdiocese; Archives; Army; Artillery; Assembly; Assn.; Associates; Association; Authority; Bancorp;
Bancshares; Bank; Battalion; Board; Brigade; Broadcasting; Bros.; Brotherhood; Brothers; Bundestag; Bureau; Cabinet;
Campaign; Cathedral; Caucus; CBS; Center; Centre; Chamber; Chronicle; Church; CIA; Clinic; Club; CNN; Co; Co.;
Coalition; College; Commission; Committee; Communications; Companies; Company; Computer; Confederation; Conference;
Congress; Consortium; Constitution; Consulate; Convention; Cooperative; Corp; Corp.; Corporation; Corps; Council;
Courier; Court; Daily; Department; Dept.; Development; Diocese; Directorate; Division; Duma; Electric; Electronics;
Embassy; Energy; Enterprise; Enterprises; Exchange; Executive; Express; Faculty; FBI; Federal; Federation; Films;
Financial; Fleet; Foods; Force; Foundation; Front; Fund; Gazette; Globe; GM; GmbH; Government; Group; Guard; Guardian;
Guerrillas; Headquarters; Herald; Holding; Holdings; Hospital; Hotel; Hotels; House; IBM; Inc; Inc.; Industries;
Inquirer; Inspectorate; Institute; Institutes; Institution; Insurance; INTERFAX; International; Investments;
ITAR-TASS; Jail; Journal; Junta; KYODO; Laboratories; Laboratory; Labs; Law; League; Legion; Library; Life; Ltd; Ltd.;
Magazine; Manufacturing; Marine; Marines; Media; Medical; Mercury; Militia; Ministries; Ministry; Mission; Motors;
Museum; Mutual; N.V.; NASA; National; NATO; Navy; NBC; Network; News; Newspaper; Newspapers; Observatory; Observer;
Office; Oil; Opera; Orchestra; Organisation; Organization; Parliament; Partners; Party; Patrol; Petroleum;
Pharmaceuticals; Pictures; Planetarium; PLC; Police; Politburo; Post; Power; Presidium; Press; Prison; Productions;
Project; Publishing; Radio; Railroad; Railway; Records; Regiment; Register; Research; Review; S.A.; SA; Savings;
School; Secretariat; Security; Seminary; Senate; Sentinel; Service; Services; Shipping; Society; Solidarity; Soviet;
Squadron; Staff; Star; State; Steel; Stores; Studio; Studios; Synagogue; Systems; TASS; Team; Telegraph; Telephone;
Television; Temple; Theater; Theatre; Times; Today; Tours; Tribunal; Tribune; Trust; U.; U.N.; UN; Union; Univ.;
University; UPI; Utilities; Watch; Weekly; Wire; Workers; Works; XINHUA
""")
