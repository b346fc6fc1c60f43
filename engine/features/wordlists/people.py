"""Names of people, their titles and professions, and what peoples and creeds are called."""

from __future__ import annotations

from typing import Final

from engine.features.wordlists.reading import words

GIVEN_NAMES: Final = words("""
Aaron; Abdel; Abdul; Abdullah; Abe; Abigail; Abraham; Ada; Adam; Adele; Adolf; Adolph; Adrian; Agnes; Ahmad; Ahmed;
Akbar; Akio; Akira; Al; Alain; Alan; Alastair; Albert; Alberto; Aldo; Alec; Alejandro; Aleksander; Aleksandr; Aleksei;
Alex; Alexander; Alexandra; Alexei; Alexis; Alfonso; Alfred; Alfredo; Ali; Alice; Alicia; Alison; Allan; Allen; Alma;
Alphonse; Alvaro; Alvin; Amanda; Amos; Amy; Anatoliy; Anatoly; Anders; Andre; Andrea; Andrei; Andres; Andrew; Andy;
Angel; Angela; Angelo; Anita; Ann; Anna; Anne; Annette; Annie; Anthony; Antoine; Anton; Antonio; April; Archie; Ariel;
Arlene; Armando; Arnold; Art; Arthur; Arturo; Asif; Audrey; August; Augusto; Austin; Ava; Barbara; Barry; Bart;
Beatrice; Ben; Benazir; Benigno; Benito; Benjamin; Bennett; Bernadette; Bernard; Bernie; Bert; Bertha; Beth; Betty;
Beverly; Bill; Billy; Bishop; Blair; Blanche; Bob; Bobby; Bonnie; Boris; Brad; Bradley; Brandon; Brenda; Brent; Brett;
Brian; Bridget; Brooke; Bruce; Bruno; Bryan; Buddy; Burt; Byron; Calvin; Cameron; Camille; Carl; Carla; Carlo; Carlos;
Carmen; Carol; Caroline; Carolyn; Carrie; Carter; Casey; Caspar; Catherine; Cathy; Cecil; Cecilia; Cesar; Chad;
Chandra; Charlene; Charles; Charlie; Charlotte; Cheryl; Chester; Chris; Christian; Christina; Christine; Christopher;
Christy; Chuck; Claire; Clara; Clarence; Clark; Claude; Claudia; Clay; Clayton; Cliff; Clifford; Clint; Clinton;
Clyde; Cody; Colin; Colleen; Connie; Conrad; Corazon; Cornelius; Cory; Courtney; Craig; Curt; Curtis; Cynthia; Cyril;
Cyrus; Daisy; Dale; Dan; Dana; Daniel; Daniele; Danny; Darlene; Darrell; Darren; Darryl; Daryl; Dave; David; Dawn;
Dean; Deanna; Debbie; Deborah; Debra; Della; Delores; Denise; Dennis; Derek; Desmond; Diana; Diane; Dick; Diego;
Dieter; Dimitri; Dmitri; Dmitriy; Dominic; Don; Donald; Donna; Dora; Dorian; Doris; Dorothy; Doug; Douglas; Duane;
Duncan; Dustin; Dwayne; Dwight; Dylan; Eamon; Earl; Ed; Eddie; Eden; Edgar; Edith; Edmund; Edna; Eduard; Eduardo;
Edward; Edwin; Edwina; Egon; Eileen; Elaine; Eleanor; Eli; Elias; Elie; Elijah; Eliot; Elisa; Elisabeth; Elizabeth;
Ella; Ellen; Elliot; Elliott; Elmer; Elsie; Elvis; Elwood; Emanuel; Emil; Emilio; Emily; Emma; Emmanuel; Enrico;
Enrique; Eric; Erich; Erik; Erika; Erin; Ernest; Ernesto; Ernie; Erwin; Esther; Ethan; Ethel; Eugene; Eva; Evan; Eve;
Evelyn; Ezer; Fay; Faye; Federico; Felipe; Felix; Ferdinand; Fernando; Fidel; Fiona; Flora; Florence; Floyd; Forrest;
Frances; Francis; Francisco; Franco; Francois; Frank; Frankie; Franklin; Franz; Fred; Freddie; Frederic; Frederick;
Fritz; Gabriel; Gabriela; Gail; Garrett; Gary; Gaston; Gavin; Gene; Genevieve; Gennadiy; Gennady; Geoff; Geoffrey;
George; Georges; Georgi; Georgia; Gerald; Geraldine; Gerard; Gerhard; Gerry; Gertrude; Giancarlo; Gianni; Gilbert;
Gilberto; Gina; Ginger; Giorgio; Giovanni; Giulio; Giuseppe; Gladys; Glen; Glenn; Gloria; Gonzalo; Gordon; Grace;
Grant; Greg; Gregory; Grover; Guido; Guillermo; Gus; Gustav; Gustavo; Guy; Gwen; Hal; Hamid; Hank; Hannah; Hans;
Harold; Harriet; Harrison; Harry; Harvey; Hashemi; Hassan; Hazel; Heather; Hector; Hedy; Heinz; Helen; Helga; Helmut;
Helmuth; Henri; Henrik; Henry; Herb; Herbert; Herman; Hilary; Hilda; Hillary; Hiroshi; Hiroyuki; Homer; Horace; Hosni;
Howard; Howell; Hubert; Hugh; Hugo; Humberto; Hussein; Hyman; Ian; Ibrahim; Ida; Igor; Ilya; Inga; Ingrid; Irene;
Iris; Irma; Irving; Irwin; Isaac; Isabel; Isaiah; Ismail; Israel; Itzhak; Iva; Ivan; Ivana; Ivo; Jack; Jackie; Jacob;
Jacques; Jaime; Jake; Jamal; James; Jamie; Jan; Jane; Janet; Janice; Janis; Janos; Jared; Jaroslav; Jason; Javier;
Jay; Jean; Jeanette; Jeanne; Jeannie; Jeb; Jeff; Jeffrey; Jennifer; Jeremiah; Jeremy; Jerome; Jerry; Jesse; Jessica;
Jessie; Jill; Jim; Jimmie; Jimmy; Jo; Joachim; Joan; Joann; Joanna; Joanne; Joao; Joaquin; Jodie; Jody; Joe; Joel;
Johan; Johann; Johannes; John; Johnny; Jon; Jonas; Jonathan; Jordan; Jorge; Jose; Josef; Joseph; Josephine; Josh;
Joshua; Joyce; Jozef; Juan; Juanita; Judd; Judith; Judy; Jules; Julia; Julian; Julie; Juliet; Julio; Julius; June;
Junichiro; Jurgen; Justin; Karen; Karin; Karl; Karla; Kate; Katherine; Kathie; Kathleen; Kathryn; Kathy; Katie; Kay;
Keiko; Keith; Kelly; Kelvin; Ken; Kenji; Kenneth; Kent; Kermit; Kerry; Kevin; Khalid; Kim; Kirk; Klaus; Kofi; Konrad;
Konstantin; Kris; Kristin; Kurt; Kyle; Lamar; Lana; Lance; Larry; Lars; Laszlo; Laura; Lauren; Laurence; Laurent;
Lawrence; Lawton; Leah; Lech; Lee; Leif; Lena; Lenny; Leo; Leon; Leonard; Leonardo; Leonid; Leopold; Leroy; Les;
Leslie; Lester; Lewis; Li; Liam; Lillian; Lily; Linda; Linus; Lionel; Lisa; Liz; Lloyd; Lois; Lola; Lonnie; Lorenzo;
Loretta; Lori; Lorraine; Lothar; Louis; Louise; Lucas; Lucia; Lucille; Lucy; Ludwig; Luigi; Luis; Luke; Luther; Lydia;
Lyle; Lynda; Lyndon; Lynn; Mabel; Mack; Madeleine; Mae; Maggie; Mahmoud; Malcolm; Mandy; Manfred; Manny; Manuel; Marc;
Marcel; Marcia; Marco; Marcos; Marcus; Margaret; Margie; Marguerite; Maria; Marian; Marianne; Mariano; Marie; Marilyn;
Marina; Mario; Marion; Marjorie; Mark; Marlene; Marlon; Marshall; Martha; Martin; Martina; Marty; Marvin; Mary; Masao;
Mathias; Matt; Matthew; Matthias; Maureen; Maurice; Maurizio; Mauro; Max; Maxine; Maxwell; May; Meg; Megan; Mehmet;
Mel; Melanie; Melinda; Melissa; Melvin; Menachem; Meredith; Merle; Michael; Michel; Michele; Michelle; Mick; Mickey;
Miguel; Mike; Mikhail; Mildred; Miles; Milos; Milton; Mimi; Mina; Miriam; Mitch; Mitchell; Moammar; Mohamed; Mohammad;
Mohammed; Moishe; Mona; Monica; Morgan; Morris; Morton; Moshe; Muammar; Muhammad; Murray; Myron; Nadia; Nadine; Nancy;
Naomi; Napoleon; Natalia; Natalie; Natasha; Nathan; Nathaniel; Ned; Neil; Nellie; Nelly; Nelson; Nguyen; Nicholas;
Nick; Nicola; Nicolae; Nicolas; Nicole; Niels; Nigel; Nikita; Nikolai; Nikolay; Nils; Nina; Noel; Nora; Norbert;
Noriko; Norman; Octavio; Olaf; Oleg; Olga; Olive; Oliver; Olivia; Omar; Opal; Orlando; Orrin; Orville; Osama; Oscar;
Oswald; Otto; Owen; Pablo; Pamela; Paolo; Pat; Patrice; Patricia; Patrick; Patsy; Patty; Paul; Paula; Paulette;
Pauline; Paulo; Pavel; Pearl; Pedro; Peggy; Penny; Percy; Perry; Pete; Peter; Petr; Petra; Phil; Philip; Philippe;
Phillip; Phyllis; Pierre; Piet; Pieter; Polly; Porter; Preston; Priscilla; Quentin; Quincy; Rachel; Rafael; Raisa;
Rajiv; Ralf; Ralph; Ramon; Ramona; Randall; Randolph; Randy; Raoul; Raphael; Raul; Ray; Raymond; Raymundo; Reagan;
Reba; Rebecca; Reggie; Regina; Reginald; Rene; Renee; Rex; Reza; Ricardo; Rich; Richard; Richie; Rick; Ricky; Rita;
Rob; Robbie; Robert; Roberta; Roberto; Robin; Rocco; Rochelle; Rod; Roderick; Rodney; Rodolfo; Rodrigo; Roger; Roland;
Rolf; Roman; Romeo; Ron; Ronald; Ronnie; Roosevelt; Rosa; Rosalyn; Roscoe; Rose; Rosemary; Rosie; Ross; Roxanne; Roy;
Ruben; Ruby; Rudolf; Rudolph; Rudy; Rufus; Rupert; Russ; Russell; Rusty; Ruth; Ryan; Sabrina; Saddam; Sadie; Said;
Saleh; Sally; Salman; Salvador; Salvatore; Sam; Samantha; Sammy; Samuel; Sandra; Sandy; Sanford; Santiago; Sara;
Sarah; Saul; Scott; Sean; Selma; Sergei; Seth; Seymour; Shane; Shannon; Sharon; Sheila; Shelby; Sheldon; Shelley;
Sherman; Sherry; Shigeru; Shimon; Shirley; Sid; Sidney; Sigmund; Silvia; Silvio; Simon; Slobodan; Sonia; Sonny;
Sophia; Sophie; Spencer; Spiro; Stacy; Stan; Stanley; Stefan; Stella; Stephanie; Stephen; Steve; Steven; Stewart;
Stuart; Sue; Sung; Susan; Susanna; Susie; Suzanne; Sven; Sybil; Sydney; Sylvester; Sylvia; Tadeusz; Takeshi; Talal;
Tamara; Tammy; Tanya; Tara; Tariq; Tatiana; Taylor; Ted; Teresa; Terry; Tess; Thelma; Theo; Theodor; Theodore;
Theresa; Thomas; Thurgood; Tiffany; Tim; Timothy; Tina; Tito; Tobias; Toby; Todd; Tom; Tommy; Toni; Tony; Toshiki;
Toshio; Tracy; Travis; Trent; Trevor; Tricia; Troy; Tyler; Tyrone; Ulrich; Ulysses; Uri; Ursula; Valentin; Valentina;
Valerie; Valeriy; Valery; Van; Vance; Vanessa; Vasily; Vera; Vern; Vernon; Veronica; Vic; Vicki; Vicky; Victor;
Viktor; Vince; Vincent; Vincenzo; Viola; Virgil; Virginia; Vitaly; Vivian; Vladimir; Vladislav; Vojislav; Volker;
Vyacheslav; Wade; Wallace; Wally; Walter; Wanda; Ward; Warner; Warren; Wayne; Wendell; Wendy; Werner; Wes; Wesley;
Wilbur; Wiley; Wilfred; Wilhelm; Will; Willard; Willem; William; Willie; Willis; Willy; Wilma; Wim; Winifred; Winnie;
Winston; Wojciech; Wolfgang; Woodrow; Woody; Xavier; Yasir; Yasser; Yasuhiro; Yegor; Yelena; Yevgeniy; Yevgeny;
Yitzhak; Yolanda; Yoshio; Yuri; Yuriy; Yves; Yvonne; Zachary; Zbigniew; Zhang; Zhao; Zoe; Zoran
""")

SURNAMES: Final = words("""
Abbott; Acevedo; Acosta; Adams; Adenauer; Adkins; Aguilar; Aguirre; Akihito; Alexander; Ali; Allen; Allende; Allison;
Alvarado; Alvarez; Andersen; Anderson; Andersson; Andrade; Andrews; Anthony; Aquino; Arafat; Archer; Arellano; Arias;
Aristide; Armstrong; Arnold; Arroyo; Ashley; Assad; Atkins; Atkinson; Austin; Avery; Avila; Ayala; Ayers; Bach;
Bailey; Baird; Baker; Baldwin; Ball; Ballard; Banks; Barajas; Barber; Barker; Barnes; Barnett; Barr; Barrera; Barrett;
Barron; Barry; Bartlett; Barton; Bass; Bates; Batista; Bauer; Bautista; Baxter; Bean; Beard; Beasley; Beck; Becker;
Beethoven; Begin; Bell; Beltran; Bender; Benitez; Benjamin; Bennett; Benson; Bentley; Benton; Berg; Berger; Bernard;
Berry; Best; Bhutto; Bianchi; Bird; Bishop; Black; Blackburn; Blackwell; Blair; Blake; Blanchard; Blankenship;
Blevins; Bolton; Bond; Bonilla; Booker; Boone; Booth; Bork; Botha; Bowen; Bowers; Bowman; Boyd; Boyer; Boyle;
Bradford; Bradley; Bradshaw; Brady; Branch; Brandt; Braun; Bray; Brennan; Brewer; Brezhnev; Bridges; Briggs; Bright;
Brock; Brooks; Brown; Browning; Bruce; Bryan; Bryant; Brzezinski; Buchanan; Buck; Buckley; Bullock; Burch; Burgess;
Burke; Burnett; Burns; Burton; Bush; Butler; Byrd; Cabrera; Cain; Calderon; Caldwell; Calhoun; Callahan; Camacho;
Cameron; Campbell; Campos; Cannon; Cantrell; Cantu; Cardenas; Carey; Carlson; Carney; Carpenter; Carr; Carrillo;
Carroll; Carson; Carter; Case; Casey; Castaneda; Castillo; Castro; Ceausescu; Cervantes; Chambers; Chan; Chandler;
Chaney; Chang; Chaplin; Chapman; Charles; Chase; Chavez; Chen; Cheney; Chernomyrdin; Cherry; Chiang; Choi;
Christensen; Christian; Chung; Church; Churchill; Cisneros; Clark; Clarke; Clay; Clayton; Clements; Cline; Clinton;
Cobb; Cochran; Coffey; Cohen; Cole; Coleman; Collier; Collins; Colon; Combs; Compton; Conley; Conner; Conrad;
Contreras; Conway; Cook; Cooke; Cooley; Coolidge; Cooper; Copeland; Cordova; Cortez; Costa; Cowan; Cox; Craig; Crane;
Crawford; Crosby; Cross; Cruz; Cuevas; Cummings; Cunningham; Cuomo; Curry; Curtis; Czolgosz; Dalton; Daniel; Daniels;
Darwin; Daugherty; Davenport; David; Davidson; Davies; Davila; Davis; Dawson; Day; Dean; Decker; Delacruz; Deleon;
Delgado; Deng; Dennis; Diaz; Dickens; Dickerson; Dickson; Dillon; Dinkins; Disney; Dixon; Dodson; Dole; Dominguez;
Donaldson; Donovan; Dorsey; Dougherty; Douglas; Downs; Doyle; Drake; Duarte; Dubois; Dudley; Duffy; Dukakis; Duke;
Duncan; Dunlap; Dunn; Duran; Durand; Durham; Duvalier; Dyer; Eaton; Edison; Edwards; Einstein; Eisenhower; Elliott;
Ellis; Ellison; English; Erickson; Eriksson; Escobar; Esparza; Espinoza; Estes; Estrada; Evans; Everett; Ewing;
Farley; Farmer; Farrell; Faulkner; Ferguson; Fernandez; Ferrari; Ferrell; Fields; Figueroa; Finley; Fischer; Fisher;
Fitzgerald; Fitzpatrick; Fleming; Fletcher; Flores; Flowers; Floyd; Flynn; Foley; Forbes; Ford; Foster; Fowler; Fox;
Francis; Franco; Frank; Franklin; Frazier; Frederick; Freeman; French; Freud; Frey; Friedman; Fritz; Frost; Fry; Frye;
Fuentes; Fujimori; Fuller; Gadhafi; Gaidar; Gaines; Gallagher; Gallegos; Galloway; Galvan; Gamble; Gandhi; Garcia;
Gardner; Garfield; Garner; Garrett; Garrison; Garza; Gates; Gay; Gentry; George; Gibbs; Gibson; Gilbert; Giles; Gill;
Gillespie; Gilmore; Gingrich; Giuliani; Glass; Glenn; Glover; Goebbels; Golden; Gomez; Gonzales; Gonzalez; Good;
Goodman; Goodwin; Gorbachev; Gordon; Gore; Gould; Graham; Grant; Graves; Gray; Green; Greene; Greer; Gregory; Griffin;
Griffith; Grimes; Gross; Guerra; Guerrero; Guevara; Guiteau; Gutierrez; Guzman; Haas; Hahn; Hale; Haley; Hall;
Hamilton; Hammond; Hampton; Hancock; Haney; Hanna; Hansen; Hanson; Hardin; Harding; Hardy; Harmon; Harper; Harrell;
Harrington; Harris; Harrison; Hart; Hartman; Harvey; Hata; Hatfield; Havel; Hawkins; Hayden; Hayes; Haynes; Hays;
Heath; Hebert; Helms; Hemingway; Henderson; Hendricks; Hendrix; Henry; Hensley; Henson; Herman; Hernandez; Herrera;
Herring; Hess; Hester; Hickman; Hicks; Higgins; Hill; Himmler; Hinckley; Hines; Hinton; Hirohito; Hitchcock; Hitler;
Ho; Hobbs; Hodge; Hodges; Hoffman; Hoffmann; Hogan; Holden; Holder; Holland; Holloway; Holmes; Holt; Honecker; Hood;
Hooper; Hoover; Hopkins; Horn; Horne; Horton; Hosokawa; House; Houston; Howard; Howe; Howell; Huang; Hubbard; Huber;
Hudson; Huerta; Huff; Huffman; Hughes; Hull; Humphrey; Hunt; Hunter; Hurley; Hurst; Hussein; Hutchinson; Huynh;
Ibarra; Ingram; Irwin; Ivanov; Izetbegovic; Jackson; Jacobs; Jacobson; James; Jaruzelski; Jarvis; Jefferson; Jenkins;
Jennings; Jensen; Jiang; Jimenez; Johansson; Johns; Johnson; Johnston; Jones; Jordan; Joseph; Joyce; Juarez; Kaiser;
Kane; Karadzic; Karlsson; Kaufman; Keith; Keller; Kelley; Kelly; Kemp; Kennedy; Kent; Kerr; Key; Khan; Khasbulatov;
Khomeini; Khrushchev; Kidd; Kim; King; Kirby; Kirk; Kissinger; Klein; Kline; Knapp; Knight; Knox; Koch; Kohl; Kozyrev;
Kramer; Krause; Kravchuk; Krueger; Kuchma; Kuznetsov; Lam; Lamb; Lambert; Landry; Lane; Lang; Lara; Larsen; Larson;
Lawrence; Lawson; Le; Leach; Leblanc; Lee; Lefebvre; Lenin; Lennon; Leon; Leonard; Lester; Levine; Levy; Lewis; Li;
Lin; Lincoln; Lindsey; Little; Liu; Livingston; Lloyd; Logan; Long; Lopez; Love; Lowe; Lowery; Lozano; Lucas; Lucero;
Luna; Lutz; Lynch; Lynn; Lyons; Macdonald; Macias; Mack; Madden; Maddox; Mahoney; Maldonado; Malone; Mandela; Mann;
Manning; Mao; Marcos; Marks; Marquez; Marsh; Marshall; Martin; Martinez; Mason; Massey; Mata; Mathews; Mathis;
Matthews; Maxwell; May; Mayer; Maynard; Mayo; Mays; McBride; McCall; McCann; McCarthy; McCartney; McCarty; McClain;
McClure; McConnell; McCormick; McCoy; McCullough; McDaniel; McDonald; McDowell; McFarland; McGee; McGrath; McGuire;
McIntosh; McIntyre; McKay; McKee; McKenzie; McKinley; McKinney; McKnight; McLaughlin; McLean; McMahon; McMillan;
McNeil; McPherson; Meadows; Medina; Meese; Meir; Mejia; Melendez; Melton; Mendez; Mendoza; Menem; Mercado; Mercer;
Merritt; Meyer; Meyers; Meza; Michael; Middleton; Miles; Miller; Mills; Milosevic; Miranda; Mitchell; Mitterrand;
Miyazawa; Mladic; Mobutu; Molina; Mondale; Monroe; Montes; Montgomery; Montoya; Moody; Moon; Mooney; Moore; Mora;
Morales; Moran; Moreau; Moreno; Morgan; Morris; Morrison; Morrow; Morse; Morton; Moses; Mosley; Moss; Moyer; Moynihan;
Mozart; Mubarak; Mueller; Mugabe; Mullen; Mullins; Munoz; Murillo; Murphy; Murray; Mussolini; Myers; Nakasone; Nash;
Nasser; Navarro; Nazarbayev; Neal; Nehru; Nelson; Newman; Newton; Nguyen; Nichols; Nicholson; Nielsen; Nilsson; Nixon;
Nkrumah; Noble; Nolan; Noriega; Norman; Norris; Norton; Novak; Nunez; O'Brien; O'Connell; O'Connor; O'Donnell;
O'Neill; Obrien; Ochoa; Oconnell; Oconnor; Odom; Odonnell; Oliver; Olsen; Olson; Oneal; Oneill; Oppenheimer; Orozco;
Orr; Ortega; Ortiz; Osborn; Osborne; Oswald; Owen; Owens; Pace; Pacheco; Padilla; Page; Palmer; Park; Parker; Parks;
Parrish; Parsons; Patel; Patrick; Patterson; Patton; Paul; Payne; Pearson; Peck; Pena; Pennington; Peres; Perez;
Perkins; Peron; Perot; Perry; Peters; Petersen; Peterson; Petrov; Petty; Pham; Phelps; Phillips; Picasso; Pierce;
Pineda; Pinochet; Pittman; Pitts; Pollard; Ponce; Poole; Pope; Popov; Porter; Potter; Potts; Powell; Powers; Pratt;
Presley; Preston; Price; Primakov; Prince; Proctor; Pruitt; Pugh; Qadhafi; Quayle; Quinn; Rabin; Rafsanjani; Ramirez;
Ramos; Ramsey; Randall; Randolph; Rangel; Rasmussen; Ray; Raymond; Reagan; Reed; Reese; Reeves; Rehnquist; Reid;
Reilly; Reyes; Reynolds; Rhodes; Rice; Rich; Richard; Richards; Richardson; Richmond; Riddle; Riggs; Riley; Rios;
Ritter; Rivas; Rivera; Rivers; Roach; Robbins; Roberson; Roberts; Robertson; Robinson; Robles; Rocha; Rodgers;
Rodriguez; Rogers; Rojas; Rollins; Roman; Romero; Roosevelt; Rosales; Rosario; Rose; Ross; Rossi; Roth; Rowe; Rowland;
Roy; Rubio; Ruby; Ruiz; Rush; Russell; Russo; Rutskoi; Ryan; Sadat; Salas; Salazar; Salinas; Sampson; Sanchez;
Sanders; Sandoval; Sanford; Santana; Santiago; Santos; Sato; Saunders; Savage; Sawyer; Scalia; Schaefer; Schmidt;
Schmitt; Schneider; Schroeder; Schultz; Schwartz; Schwarzkopf; Scott; Selassie; Sellers; Serrano; Sexton; Shaffer;
Shah; Shakespeare; Shannon; Sharp; Shaw; Shea; Shelton; Shepard; Shepherd; Sheppard; Sherman; Shevardnadze; Shields;
Short; Shultz; Silva; Simmons; Simon; Simpson; Sims; Singh; Singleton; Sirhan; Skinner; Sloan; Small; Smirnov; Smith;
Snow; Snyder; Sokolov; Solis; Solomon; Somoza; Sosa; Soto; Souter; Sparks; Spears; Spence; Spencer; Stafford; Stalin;
Stanley; Stanton; Stark; Steele; Stein; Stephens; Stephenson; Stevens; Stevenson; Stewart; Stokes; Stone; Stout;
Strickland; Strong; Stuart; Suarez; Suharto; Sukarno; Sullivan; Summers; Sutton; Suzuki; Swanson; Sweeney; Taft;
Takeshita; Tanaka; Tanner; Tapia; Tate; Taylor; Terrell; Terry; Thatcher; Thomas; Thompson; Thornton; Thurmond; Tito;
Todd; Tojo; Torres; Townsend; Tran; Travis; Trevino; Trotsky; Trujillo; Truman; Tucker; Tudjman; Turner; Tyler;
Underwood; Valdez; Valencia; Valentine; Valenzuela; Vance; Vang; Vargas; Vasquez; Vaughan; Vaughn; Vazquez; Vega;
Velasquez; Velazquez; Velez; Villa; Villanueva; Villarreal; Villegas; Vincent; Wade; Wagner; Walesa; Walker; Wall;
Wallace; Waller; Walls; Walsh; Walter; Walters; Walton; Wang; Ward; Ware; Warner; Warren; Washington; Watanabe;
Waters; Watkins; Watson; Watts; Weaver; Webb; Weber; Webster; Weeks; Weinberger; Weiss; Welch; Wells; Werner; West;
Wheeler; Whitaker; White; Whitehead; Whitney; Wiggins; Wilcox; Wiley; Wilkerson; Wilkins; Wilkinson; Williams;
Williamson; Willis; Wilson; Winters; Wise; Wolf; Wolfe; Wong; Wood; Woodard; Woods; Woodward; Wright; Wu; Wyatt;
Yamamoto; Yang; Yates; Yeltsin; Yoder; York; Young; Yu; Zamora; Zavala; Zedong; Zhang; Zhirinovsky; Zhou; Zia;
Zimmerman; Zuniga; Zyuganov
""")

TITLES: Final = words("""
accountant; activist; actor; actress; Adm.; Admiral; adviser; advisor; advocate; agent; aide; Airman; Alderman; ally;
Ambassador; analyst; anchor; anchorman; anthropologist; archaeologist; Archbishop; architect; artist; assassin;
Assemblyman; Assemblywoman; assistant; associate; Astronaut; astronomer; athlete; Attorney; auditor; aunt; author;
aviator; Ayatollah; banker; Baron; barrister; bartender; billionaire; biographer; biologist; Bishop; bodyguard; boxer;
boyfriend; Brig.; Brigadier; broadcaster; broker; Brother; businessman; businesswoman; Caliph; cameraman; Candidate;
Capt.; Captain; Cardinal; carpenter; cashier; catcher; cellist; CEO; CFO; Chairman; Chairperson; Chairwoman; champion;
Chancellor; chef; chemist; Chief; choreographer; Clerk; Cmdr.; co-pilot; coach; Col.; colleague; Colonel; columnist;
comedian; comedienne; Commander; commentator; Commissioner; composer; Comptroller; comrade; conductor; Congressman;
Congresswoman; Constable; consultant; contractor; COO; cook; copilot; Coroner; correspondent; Cosmonaut; Councilman;
Councilwoman; Counsel; counselor; Count; Countess; cousin; Cpl.; critic; Czar; D.A.; DA; Dame; dancer; daughter;
Deacon; Dean; defendant; Delegate; dentist; deputy; designer; Detective; developer; dictator; Director; dissident;
doctor; Dr.; driver; drummer; Duchess; Duke; economist; editor; Elder; electrician; Emir; Emperor; Empress; enemy;
engineer; Ensign; entertainer; entrepreneur; epidemiologist; ex-husband; ex-wife; Executive; explorer; farmer; Father;
fiance; fiancee; filmmaker; financier; firefighter; fireman; fisherman; flier; founder; friend; fugitive; Gen.;
General; geologist; girlfriend; golfer; Gov.; Governor; granddaughter; grandfather; grandmother; grandson; guard;
guerrilla; guitarist; gunman; head; heir; Herr; hijacker; historian; hostage; husband; Imam; incumbent; industrialist;
inmate; Inspector; inventor; investor; jockey; journalist; Judge; Juror; Justice; Kaiser; killer; King; Lady;
lawmaker; Lawyer; leader; Lecturer; Legislator; lieutenant; lobbyist; Lord; Lt; Lt.; machinist; Madame; Magistrate;
Maj.; Major; Manager; Marine; Marshal; mathematician; Mayor; mechanic; member; Messrs.; meteorologist; Metropolitan;
millionaire; miner; Minister; Miss; Mme.; model; Monsieur; Monsignor; Mother; Mr.; Mrs.; Ms.; Mullah; murderer;
musician; neighbor; nephew; newsman; niece; nominee; novelist; nurse; oceanographer; Officer; official; officials;
opponent; outfielder; owner; painter; Pastor; patient; Patriarch; Patrolman; Pfc.; pharmacist; photographer;
physician; physicist; pianist; pilot; pitcher; plaintiff; player; playwright; plumber; poet; policeman; policewoman;
politician; pollster; Pope; predecessor; Premier; President; Prime; Prince; Princess; Principal; prisoner; Private;
producer; Prof.; Professor; programmer; Prosecutor; Provost; psychiatrist; psychologist; publisher; pupil; Pvt.;
quarterback; Queen; Rabbi; rancher; rebel; Rector; referee; Rep.; reporter; Representative; researcher; Rev.;
Reverend; rival; rocker; roommate; sailor; Saint; salesman; saleswoman; scientist; screenwriter; sculptor; Seaman;
Secretary; seismologist; Sen.; Senator; Senor; Sergeant; Sgt.; Shah; Sheik; Sheikh; Sheriff; singer; Sir; Sister;
skater; sociologist; soldier; Solicitor; son; soprano; Spc.; Speaker; Spokesman; Spokeswoman; spy; St.; star; starlet;
strategist; student; successor; Sultan; Superintendent; surgeon; suspect; swimmer; teacher; technician; tenor;
terrorist; trader; trainer; Treasurer; Trooper; trucker; Tsar; tycoon; umpire; uncle; Undersecretary; Vice; victim;
violinist; waiter; waitress; Warden; Whip; widow; widower; wife; witness; writer
""")

PEOPLES: Final = words("""
Afghan; Afghans; African; African-American; African-Americans; Africans; Albanian; Albanians; Algerian; Algerians;
American; Americans; Angolan; Angolans; Apache; Arab; Arabic; Arabs; Argentine; Argentines; Argentinian; Armenian;
Armenians; Asian; Asians; Australian; Australians; Austrian; Austrians; Azerbaijani; Azeri; Bangladeshi; Baptist;
Baptists; Belarusian; Belgian; Belgians; Bolivian; Bolshevik; Bolsheviks; Bosnian; Bosnians; Brazilian; Brazilians;
British; Briton; Britons; Buddhist; Buddhists; Bulgarian; Bulgarians; Burmese; Byelorussian; Californian; Cambodian;
Cambodians; Canadian; Canadians; Catholic; Catholics; Chechen; Chechens; Cherokee; Chilean; Chileans; Chinese;
Christian; Christianity; Christians; Colombian; Colombians; Communist; Communists; Confederate; Confederates;
Congolese; Conservative; Conservatives; Contra; Contras; Costa Rican; Croat; Croatian; Croats; Cuban; Cubans; Cypriot;
Cypriots; Czech; Czechs; Dane; Danes; Danish; Democrat; Democratic; Democrats; Dominican; Dutch; Ecuadorean; Egyptian;
Egyptians; English; Englishman; Episcopal; Eritrean; Eskimo; Estonian; Estonians; Ethiopian; Ethiopians; European;
Europeans; Filipino; Filipinos; Finn; Finnish; Finns; French; Frenchman; Georgian; Georgians; German; Germans;
Ghanaian; Greek; Greeks; Guatemalan; Haitian; Haitians; Hindu; Hindus; Hispanic; Hispanics; Honduran; Hungarian;
Hungarians; Icelandic; Indian; Indians; Indonesian; Indonesians; Iranian; Iranians; Iraqi; Iraqis; Irish; Islam;
Islamic; Israeli; Israelis; Italian; Italians; Jamaican; Japanese; Jew; Jewish; Jews; Jordanian; Jordanians; Judaism;
Kazakh; Kenyan; Kenyans; Kirghiz; Korean; Koreans; Kurd; Kurdish; Kurds; Kuwaiti; Kuwaitis; Kyrgyz; Labor; Labour;
Laotian; Latin; Latin American; Latvian; Latvians; Lebanese; Liberal; Liberian; Libyan; Libyans; Lithuanian;
Lithuanians; Lutheran; Macedonian; Malaysian; Maori; Marxist; Methodist; Methodists; Mexican; Mexicans; Moldovan;
Montenegrin; Mormon; Mormons; Moroccan; Moroccans; Moslem; Moslems; Mozambican; Muslim; Muslims; Namibian;
Native American; Native Americans; Navajo; Nazi; Nazis; Nepalese; New Yorker; New Yorkers; New Zealander; Nicaraguan;
Nicaraguans; Nigerian; Nigerians; North Korean; Norwegian; Norwegians; Omani; Orthodox; Ottoman; Pakistani;
Pakistanis; Palestinian; Palestinians; Panamanian; Panamanians; Paraguayan; Persian; Peruvian; Peruvians; Philippine;
Pole; Poles; Polish; Portuguese; Presbyterian; Protestant; Protestants; Puerto Rican; Puerto Ricans; Qatari;
Quebecois; Republican; Republicans; Roman; Roman Catholic; Romanian; Romanians; Romans; Russian; Russians; Rwandan;
Salvadoran; Salvadorans; Sandinista; Sandinistas; Saudi; Saudis; Scot; Scots; Scottish; Senegalese; Serb; Serbian;
Serbs; Shiite; Shiites; Sikh; Sikhs; Sioux; Slovak; Slovaks; Slovene; Slovenian; Socialist; Socialists; Somali;
Somalis; South African; South Africans; South Korean; Soviet; Soviets; Spaniard; Spaniards; Spanish; Sri Lankan;
Sudanese; Sunni; Sunnis; Swede; Swedes; Swedish; Swiss; Syrian; Syrians; Taiwanese; Tajik; Tamil; Tamils; Tanzanian;
Tatar; Texan; Texans; Thai; Tibetan; Tories; Tory; Tunisian; Turk; Turkish; Turkmen; Turks; Ugandan; Ukrainian;
Ukrainians; Uruguayan; Uzbek; Venezuelan; Victorian; Vietnamese; Welsh; Western; Yemeni; Yugoslav; Yugoslavs; Zairian;
Zambian; Zimbabwean; Zionist
""")
