-- People. Their numbers are never used again: old records keep meaning who they meant.
CREATE TABLE person (
  number     INTEGER PRIMARY KEY AUTOINCREMENT,
  name       TEXT NOT NULL UNIQUE COLLATE NOCASE,
  role       TEXT NOT NULL,
  password   TEXT NOT NULL,
  disabled   INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL
) STRICT;

-- Browsers in which somebody is logged in. The id itself is known to the browser alone.
CREATE TABLE login (
  number   INTEGER PRIMARY KEY AUTOINCREMENT,
  hash     BLOB NOT NULL UNIQUE,
  person   INTEGER NOT NULL REFERENCES person (number) ON DELETE CASCADE,
  device   TEXT NOT NULL,
  address  TEXT NOT NULL,
  begun_at INTEGER NOT NULL,
  seen_at  INTEGER NOT NULL
) STRICT;
CREATE INDEX login_by_person ON login (person);

-- What scripts log in with.
CREATE TABLE access_token (
  number     INTEGER PRIMARY KEY AUTOINCREMENT,
  hash       BLOB NOT NULL UNIQUE,
  person     INTEGER NOT NULL REFERENCES person (number) ON DELETE CASCADE,
  name       TEXT NOT NULL,
  role       TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  used_at    INTEGER
) STRICT;
CREATE INDEX access_token_by_person ON access_token (person);

-- Wrong guesses, per account and per address.
CREATE TABLE guess (
  subject      TEXT PRIMARY KEY,
  failures     INTEGER NOT NULL,
  since        INTEGER NOT NULL,
  locked_until INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Who did what. `hash` covers the entry and the hash of the one before it.
CREATE TABLE audit (
  number       INTEGER PRIMARY KEY,
  at           INTEGER NOT NULL,
  person       INTEGER NOT NULL,
  name         TEXT NOT NULL,
  address      TEXT NOT NULL,
  action       TEXT NOT NULL,
  conversation TEXT NOT NULL,
  digest       TEXT NOT NULL,
  detail       TEXT NOT NULL,
  outcome      TEXT NOT NULL,
  about        INTEGER NOT NULL,
  hash         TEXT NOT NULL
) STRICT;
CREATE TRIGGER audit_is_not_changed BEFORE UPDATE ON audit BEGIN
  SELECT RAISE(ABORT, 'the audit is append-only');
END;
CREATE TRIGGER audit_is_not_deleted BEFORE DELETE ON audit BEGIN
  SELECT RAISE(ABORT, 'the audit is append-only');
END;

-- Each person has drafts of their own. Those of before belong to the person at this machine.
ALTER TABLE draft RENAME TO old_draft;
CREATE TABLE draft (
  conversation TEXT NOT NULL,
  person       INTEGER NOT NULL,
  text         TEXT NOT NULL,
  PRIMARY KEY (conversation, person)
) STRICT, WITHOUT ROWID;
INSERT INTO draft SELECT conversation, 0, text FROM old_draft;
DROP TABLE old_draft;

-- Who answered, who wrote: names, as they were.
ALTER TABLE approval ADD COLUMN answered_by TEXT NOT NULL DEFAULT '';
ALTER TABLE outbox ADD COLUMN written_by TEXT NOT NULL DEFAULT '';
CREATE TABLE row_author (
  conversation INTEGER NOT NULL REFERENCES conversation (number) ON DELETE CASCADE,
  row          INTEGER NOT NULL,
  name         TEXT NOT NULL,
  PRIMARY KEY (conversation, row)
) STRICT, WITHOUT ROWID;
