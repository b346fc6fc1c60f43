BEGIN TRANSACTION;
CREATE TABLE corpora (
	id TEXT NOT NULL, 
	name TEXT NOT NULL, 
	split TEXT NOT NULL, 
	source TEXT NOT NULL, 
	hash TEXT NOT NULL, 
	n_documents INTEGER NOT NULL, 
	created TEXT NOT NULL, 
	PRIMARY KEY (id)
);
INSERT INTO "corpora" VALUES('tweets-dev','Tweets','dev','','a84f03c54d629113b9b9210f1b02087975eb3b517ba978ad8eebf92b0ffcd626',3,'2026-11-18T00:20:27.918115+00:00');
CREATE TABLE documents (
	corpus TEXT NOT NULL, 
	position INTEGER NOT NULL, 
	id TEXT NOT NULL, 
	record TEXT NOT NULL, 
	PRIMARY KEY (corpus, position), 
	FOREIGN KEY(corpus) REFERENCES corpora (id) ON DELETE CASCADE
);
INSERT INTO "documents" VALUES('tweets-dev',0,'dev-020','{"id":"dev-020","text":"The New York Giants just beat the Jets and the whole bar is singing","mentions":[{"start":4,"end":19,"text":"New York Giants","entity":"New York Giants"},{"start":34,"end":38,"text":"Jets","entity":"New York Jets"}]}');
INSERT INTO "documents" VALUES('tweets-dev',1,'dev-037','{"id":"dev-037","text":"Giants win! Eli Manning with the drive of his life, see you at the Super Bowl","mentions":[{"start":0,"end":6,"text":"Giants","entity":"New York Giants"},{"start":12,"end":23,"text":"Eli Manning","entity":"Eli Manning"},{"start":67,"end":77,"text":"Super Bowl","entity":"Super Bowl"}]}');
INSERT INTO "documents" VALUES('tweets-dev',2,'dev-001','{"id":"dev-001","text":"we can see Mercury low in the west this week, bring a telescope","mentions":[{"start":11,"end":18,"text":"Mercury","entity":"Mercury (planet)"}]}');
CREATE TABLE edits (
	number INTEGER NOT NULL, 
	corpus TEXT NOT NULL, 
	document TEXT NOT NULL, 
	layer TEXT NOT NULL, 
	user TEXT NOT NULL, 
	time TEXT NOT NULL, 
	edit TEXT NOT NULL, 
	undoes INTEGER, 
	token TEXT, 
	batch TEXT, 
	PRIMARY KEY (number), 
	UNIQUE (corpus, token)
);
INSERT INTO "edits" VALUES(1,'tweets-dev','dev-020','gold','ada','2026-11-18T00:20:27.951+00:00','{"kind": "SetEntity", "id": "g0", "entity": "Q1"}',NULL,NULL,NULL);
INSERT INTO "edits" VALUES(2,'tweets-dev','dev-020','gold','ada','2026-11-18T00:20:27.977+00:00','{"kind": "SetEntity", "id": "g0", "entity": "Q2"}',NULL,NULL,NULL);
CREATE TABLE layers (
	corpus TEXT NOT NULL, 
	name TEXT NOT NULL, 
	document TEXT NOT NULL, 
	record TEXT NOT NULL, 
	PRIMARY KEY (corpus, name, document), 
	FOREIGN KEY(corpus) REFERENCES corpora (id) ON DELETE CASCADE
);
INSERT INTO "layers" VALUES('tweets-dev','outside','dev-020','{"mentions":[{"start":4,"end":19,"entity":"New York Giants","score":0.9999979006810316},{"start":34,"end":38,"entity":"New York Jets","score":0.9999976716742591}]}');
INSERT INTO "layers" VALUES('tweets-dev','outside','dev-037','{"mentions":[{"start":0,"end":6,"entity":"New York Giants","score":0.7226465352316651},{"start":12,"end":23,"entity":"Eli Manning","score":0.9999990200368855},{"start":67,"end":77,"entity":"Super Bowl","score":0.9999975107259548}]}');
INSERT INTO "layers" VALUES('tweets-dev','outside','dev-001','{"mentions":[{"start":11,"end":18,"entity":"Freddie Mercury","score":0.6213719536913649}]}');
CREATE TABLE locks (
	run TEXT NOT NULL, 
	corpus TEXT NOT NULL, 
	bias FLOAT NOT NULL, 
	time TEXT NOT NULL, 
	PRIMARY KEY (run), 
	FOREIGN KEY(run) REFERENCES runs (id) ON DELETE CASCADE
);
INSERT INTO "locks" VALUES('linking-20261118-002027','tweets-dev',0.25,'2026-11-18T00:20:28.016772+00:00');
CREATE TABLE looks (
	number INTEGER NOT NULL, 
	run TEXT NOT NULL, 
	corpus TEXT NOT NULL, 
	bias FLOAT NOT NULL, 
	time TEXT NOT NULL, 
	scores TEXT NOT NULL, 
	PRIMARY KEY (number), 
	FOREIGN KEY(run) REFERENCES runs (id) ON DELETE CASCADE
);
CREATE TABLE rounds (
	run TEXT NOT NULL, 
	number INTEGER NOT NULL, 
	objective FLOAT NOT NULL, 
	scores TEXT NOT NULL, 
	details TEXT NOT NULL, 
	PRIMARY KEY (run, number), 
	FOREIGN KEY(run) REFERENCES runs (id) ON DELETE CASCADE
);
INSERT INTO "rounds" VALUES('linking-20261118-002027',0,1.5,'{"f1": 0.5}','{}');
CREATE TABLE runs (
	id TEXT NOT NULL, 
	task TEXT NOT NULL, 
	learner TEXT NOT NULL, 
	settings TEXT NOT NULL, 
	seed INTEGER NOT NULL, 
	train TEXT NOT NULL, 
	dev TEXT NOT NULL, 
	data_hash TEXT NOT NULL, 
	status TEXT NOT NULL, 
	created TEXT NOT NULL, 
	finished TEXT, 
	scores TEXT NOT NULL, 
	bias FLOAT NOT NULL, 
	message TEXT NOT NULL, 
	PRIMARY KEY (id)
);
INSERT INTO "runs" VALUES('linking-20261118-002027','linking','s-mart','{"trees": 12, "seed": 0}',0,'tweets-dev','tweets-dev','','done','2026-11-18T00:20:27.992474+00:00','2026-11-18T00:20:28.006965+00:00','{"f1": 0.5}',0.25,'');
CREATE TABLE slices (
	name TEXT NOT NULL, 
	task TEXT NOT NULL, 
	filters TEXT NOT NULL, 
	PRIMARY KEY (name)
);
INSERT INTO "slices" VALUES('short','linking','{"length": 3}');
CREATE TABLE versions (
	corpus TEXT NOT NULL, 
	name TEXT NOT NULL, 
	layer TEXT NOT NULL, 
	upto INTEGER NOT NULL, 
	user TEXT NOT NULL, 
	time TEXT NOT NULL, 
	PRIMARY KEY (corpus, name), 
	FOREIGN KEY(corpus) REFERENCES corpora (id) ON DELETE CASCADE
);
INSERT INTO "versions" VALUES('tweets-dev','first','gold',1,'ada','2026-11-18T00:20:27.961763+00:00');
CREATE INDEX edits_by_document ON edits (corpus, document, layer);
CREATE INDEX documents_by_id ON documents (corpus, id);
COMMIT;
