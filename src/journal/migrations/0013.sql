-- Where a person is notified. A browser's channel ends with its login; person 0 is the local user.
CREATE TABLE channel (
  number     INTEGER PRIMARY KEY AUTOINCREMENT,
  person     INTEGER NOT NULL,
  login      INTEGER REFERENCES login (number) ON DELETE CASCADE,
  kind       TEXT NOT NULL,
  address    TEXT NOT NULL,
  secret     TEXT NOT NULL,
  origin     TEXT NOT NULL,
  name       TEXT NOT NULL,
  choices    TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  -- The number of the last notification.
  seq        INTEGER NOT NULL DEFAULT 0,
  UNIQUE (kind, address, person)
) STRICT;
CREATE INDEX channel_by_person ON channel (person);
CREATE INDEX channel_by_login ON channel (login);

-- Notifications to send, and those that were sent or given up.
CREATE TABLE notice (
  number       INTEGER PRIMARY KEY AUTOINCREMENT,
  channel      INTEGER NOT NULL REFERENCES channel (number) ON DELETE CASCADE,
  seq          INTEGER NOT NULL,
  conversation TEXT NOT NULL,
  occasion     TEXT NOT NULL,
  -- Of the approval that it is about, else empty.
  token        TEXT NOT NULL,
  content      TEXT NOT NULL,
  made_at      INTEGER NOT NULL,
  due_at       INTEGER NOT NULL,
  expires_at   INTEGER NOT NULL,
  attempts     INTEGER NOT NULL DEFAULT 0,
  state        TEXT NOT NULL DEFAULT 'waiting',
  sent_at      INTEGER,
  trouble      TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX notice_due ON notice (due_at) WHERE state = 'waiting';
CREATE INDEX notice_by_channel ON notice (channel, conversation);
CREATE INDEX notice_by_conversation ON notice (conversation, token);

-- What people were last told about each conversation.
CREATE TABLE told (
  conversation TEXT PRIMARY KEY,
  phase        TEXT NOT NULL,
  token        TEXT NOT NULL
) STRICT, WITHOUT ROWID;
