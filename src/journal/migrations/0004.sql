-- Who sees a conversation by name, and in which role; the empty role is what they have elsewhere.
CREATE TABLE share (
  conversation TEXT NOT NULL,
  name         TEXT NOT NULL COLLATE NOCASE,
  role         TEXT NOT NULL,
  PRIMARY KEY (conversation, name)
) STRICT, WITHOUT ROWID;
INSERT OR IGNORE INTO share
  SELECT sharing.conversation, names.value, '' FROM sharing, json_each(sharing.names) AS names;
ALTER TABLE sharing DROP COLUMN names;
-- Hash of the words that a conversation was begun with: its first message is the starter's.
ALTER TABLE sharing ADD COLUMN opening TEXT NOT NULL DEFAULT '';

-- Links with which a conversation can be watched without an account.
CREATE TABLE link (
  number       INTEGER PRIMARY KEY AUTOINCREMENT,
  hash         BLOB NOT NULL UNIQUE,
  conversation TEXT NOT NULL,
  person       INTEGER NOT NULL REFERENCES person (number) ON DELETE CASCADE,
  created_at   INTEGER NOT NULL,
  expires_at   INTEGER NOT NULL,
  used_at      INTEGER
) STRICT;
CREATE INDEX link_by_conversation ON link (conversation);

-- Who people are elsewhere. `made`: the account was made for this identity.
CREATE TABLE identity (
  issuer  TEXT NOT NULL,
  subject TEXT NOT NULL,
  person  INTEGER NOT NULL REFERENCES person (number) ON DELETE CASCADE,
  made    INTEGER NOT NULL,
  since   INTEGER NOT NULL,
  PRIMARY KEY (issuer, subject)
) STRICT, WITHOUT ROWID;
CREATE INDEX identity_by_person ON identity (person);
