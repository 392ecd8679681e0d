-- A study store of version 1 with one run, written by that version of scalelaw.
PRAGMA page_size = 16384;
PRAGMA journal_mode = WAL;
CREATE TABLE settings(name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
CREATE TABLE units(id INTEGER PRIMARY KEY, job TEXT NOT NULL, node TEXT NOT NULL, version TEXT NOT NULL, figures BLOB NOT NULL, UNIQUE(job, node)) STRICT;
CREATE TABLE files(path TEXT PRIMARY KEY, unit INTEGER NOT NULL REFERENCES units(id) ON DELETE CASCADE, format TEXT NOT NULL, reading TEXT NOT NULL, bytes INTEGER NOT NULL, mtime_ns INTEGER NOT NULL, inode INTEGER NOT NULL, hash TEXT NOT NULL) STRICT;
CREATE INDEX files_of_unit ON files(unit);
CREATE TABLE jobs(job TEXT NOT NULL, unit INTEGER NOT NULL REFERENCES units(id) ON DELETE CASCADE, PRIMARY KEY(job, unit)) STRICT, WITHOUT ROWID;
CREATE INDEX jobs_of_unit ON jobs(unit);
CREATE TABLE fact_names(place INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT;
CREATE TABLE facts(job TEXT PRIMARY KEY, cells BLOB NOT NULL) STRICT;
CREATE TABLE run_tables(id INTEGER PRIMARY KEY AUTOINCREMENT, revision INTEGER NOT NULL, finished INTEGER NOT NULL, run_rows INTEGER NOT NULL, hash TEXT NOT NULL) STRICT;
CREATE TABLE run_blocks(id INTEGER PRIMARY KEY, run_table INTEGER NOT NULL, place INTEGER NOT NULL, csv BLOB NOT NULL, UNIQUE(run_table, place)) STRICT;
PRAGMA application_id = 1396919383;
PRAGMA user_version = 1;
INSERT INTO settings VALUES('revision', '1');
INSERT INTO settings VALUES('summary', '--rows job --max-gap auto');
INSERT INTO run_tables VALUES(1, 1, 1, 1, '153b908168ed707c4dbb57bd9691c201');
INSERT INTO run_blocks VALUES(1, 1, 0, CAST('job_id,gpus,epoch_seconds' || char(10) || 'old,2,10' || char(10) AS BLOB));
