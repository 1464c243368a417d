-- Keys with which people log in. `id` is the authenticator's, `handle` what it knows the person by, `place` the host name that
-- it belongs to, and `credential` its public half, in JSON.
CREATE TABLE passkey (
  number     INTEGER PRIMARY KEY AUTOINCREMENT,
  id         BLOB NOT NULL UNIQUE,
  person     INTEGER NOT NULL REFERENCES person (number) ON DELETE CASCADE,
  handle     BLOB NOT NULL,
  name       TEXT NOT NULL,
  place      TEXT NOT NULL,
  credential TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  used_at    INTEGER
) STRICT;
CREATE INDEX passkey_by_person ON passkey (person);

-- What stands in for a lost passkey, each once.
CREATE TABLE recovery_code (
  hash   BLOB PRIMARY KEY,
  person INTEGER NOT NULL REFERENCES person (number) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX recovery_code_by_person ON recovery_code (person);

-- The roles that log in with a passkey only.
CREATE TABLE passkey_role (
  role TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;

-- Whether a passkey, or a recovery code, was part of the login.
ALTER TABLE login ADD COLUMN strong INTEGER NOT NULL DEFAULT 0;

-- Links with which somebody makes their own account. The name is empty if they choose it.
CREATE TABLE invitation (
  number     INTEGER PRIMARY KEY AUTOINCREMENT,
  hash       BLOB NOT NULL UNIQUE,
  person     INTEGER NOT NULL REFERENCES person (number) ON DELETE CASCADE,
  role       TEXT NOT NULL,
  name       TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;
