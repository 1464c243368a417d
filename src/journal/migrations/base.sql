-- Conversations have a short number of our own: every event and index entry repeats it.
CREATE TABLE conversation (
  number      INTEGER PRIMARY KEY,
  id          TEXT NOT NULL UNIQUE,
  backend     TEXT NOT NULL,
  title       TEXT NOT NULL,
  runtime     TEXT NOT NULL,
  repository  TEXT,
  branch      TEXT,
  created_at  INTEGER NOT NULL,
  updated_at  INTEGER NOT NULL,
  excerpt     TEXT NOT NULL DEFAULT '',
  session     TEXT NOT NULL DEFAULT '{}',
  -- The newest seq given out.
  seq         INTEGER NOT NULL DEFAULT 0,
  -- Upstream's position up to which nothing is missing here.
  complete_to INTEGER,
  -- Labels, as a JSON object.
  tags        TEXT NOT NULL DEFAULT '{}',
  -- The seq up to which `checkpoint` and `mark` are complete.
  folded      INTEGER NOT NULL DEFAULT 0
) STRICT;

-- The log. `row` is the seq of the first event of the row it is read in; NULL: not on the timeline.
CREATE TABLE event (
  id           INTEGER PRIMARY KEY,
  conversation INTEGER NOT NULL REFERENCES conversation (number) ON DELETE CASCADE,
  seq          INTEGER NOT NULL,
  key          TEXT,
  row          INTEGER,
  pos          INTEGER NOT NULL,
  kind         TEXT NOT NULL,
  answers_key  TEXT,
  call_id      TEXT,
  at           INTEGER NOT NULL,
  source       TEXT NOT NULL,
  received_at  INTEGER NOT NULL,
  raw          TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX event_by_seq ON event (conversation, seq);
CREATE UNIQUE INDEX event_by_key ON event (conversation, key) WHERE key IS NOT NULL;
CREATE INDEX event_by_row ON event (conversation, row, seq) WHERE row IS NOT NULL;
CREATE INDEX event_by_answer ON event (conversation, answers_key, seq) WHERE answers_key IS NOT NULL;
CREATE INDEX event_by_call ON event (conversation, call_id, seq) WHERE call_id IS NOT NULL;

-- Where each row stands, so that a page of rows of one kind is an index scan.
CREATE TABLE timeline_row (
  conversation INTEGER NOT NULL REFERENCES conversation (number) ON DELETE CASCADE,
  id           INTEGER NOT NULL,
  pos          INTEGER NOT NULL,
  kind         TEXT NOT NULL,
  seq          INTEGER NOT NULL,
  PRIMARY KEY (conversation, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX timeline_row_by_pos ON timeline_row (conversation, pos, id);
CREATE INDEX timeline_row_by_kind ON timeline_row (conversation, kind, pos, id);
CREATE INDEX timeline_row_by_seq ON timeline_row (conversation, seq);

-- The index of words; rowid is event.id. `scope` has one word per filter (conversation, kind, source, author, day), so that
-- a filter costs an intersection instead of a look at each event; `pieces` has the parts of camelCase words. The text
-- itself is not kept twice.
CREATE VIRTUAL TABLE word USING fts5 (
  scope, body, pieces, path, content = '', contentless_delete = 1, tokenize = 'unicode61'
);
-- The words of the index, to complete the last word of a query.
CREATE VIRTUAL TABLE word_term USING fts5vocab ('word', 'row');
-- Events up to this id are not in the index yet; `of` is how many there were.
CREATE TABLE unindexed (
  up_to INTEGER NOT NULL,
  of    INTEGER NOT NULL
) STRICT;
INSERT INTO unindexed VALUES (0, 0);

-- What was asked, exactly as it was shown, and what became of it. Never deleted with a newer one.
CREATE TABLE approval (
  conversation INTEGER NOT NULL REFERENCES conversation (number) ON DELETE CASCADE,
  token        TEXT NOT NULL,
  -- The same question, however it was rendered.
  question     TEXT NOT NULL,
  shown        TEXT NOT NULL,
  asked_at     INTEGER NOT NULL,
  state        TEXT NOT NULL,
  approved     INTEGER,
  reason       TEXT,
  answered_at  INTEGER,
  -- Names, as they were.
  answered_by  TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (conversation, token)
) STRICT, WITHOUT ROWID;
CREATE INDEX approval_by_question ON approval (conversation, question, state);

-- Messages on their way. A message that has come back stays as its id alone: that is what makes
-- sending twice harmless.
CREATE TABLE outbox (
  conversation INTEGER NOT NULL REFERENCES conversation (number) ON DELETE CASCADE,
  client_id    TEXT NOT NULL,
  text         TEXT NOT NULL,
  images       TEXT NOT NULL,
  files        TEXT NOT NULL,
  at           INTEGER NOT NULL,
  state        TEXT NOT NULL,
  why          TEXT NOT NULL,
  -- The journal's seq when it was sent: it can only come back behind that.
  sent_after   INTEGER NOT NULL,
  written_by   TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (conversation, client_id)
) STRICT;

-- Each person has drafts of their own; person 0 is the local user.
CREATE TABLE draft (
  conversation TEXT NOT NULL,
  person       INTEGER NOT NULL,
  text         TEXT NOT NULL,
  PRIMARY KEY (conversation, person)
) STRICT, WITHOUT ROWID;

CREATE TABLE setting (
  key   TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

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
  seen_at  INTEGER NOT NULL,
  -- The known device in which it was begun.
  known_device BLOB NOT NULL DEFAULT x''
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

-- Who answered, who wrote: names, as they were.
CREATE TABLE row_author (
  conversation INTEGER NOT NULL REFERENCES conversation (number) ON DELETE CASCADE,
  row          INTEGER NOT NULL,
  name         TEXT NOT NULL,
  -- When the approval was asked for and answered, in milliseconds since the Unix epoch. Empty for messages.
  asked_at     INTEGER,
  answered_at  INTEGER,
  PRIMARY KEY (conversation, row)
) STRICT, WITHOUT ROWID;

-- Who began a conversation and who sees it. Those that are not here are for everybody.
CREATE TABLE sharing (
  conversation TEXT PRIMARY KEY,
  starter      TEXT NOT NULL,
  audience     TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Who sees a conversation by name, and in which role; the empty role is what they have elsewhere.
CREATE TABLE share (
  conversation TEXT NOT NULL,
  name         TEXT NOT NULL COLLATE NOCASE,
  role         TEXT NOT NULL,
  PRIMARY KEY (conversation, name)
) STRICT, WITHOUT ROWID;

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

-- Browsers in which somebody has logged in before: the guesses of strangers do not lock them out there.
CREATE TABLE known_device (
  hash    BLOB NOT NULL,
  person  INTEGER NOT NULL REFERENCES person (number) ON DELETE CASCADE,
  seen_at INTEGER NOT NULL,
  PRIMARY KEY (hash, person)
) STRICT, WITHOUT ROWID;
CREATE INDEX known_device_by_person ON known_device (person, seen_at);

-- Conversations that people have pinned to the top of their lists.
CREATE TABLE pin (
  person       INTEGER NOT NULL,
  conversation TEXT NOT NULL,
  PRIMARY KEY (person, conversation)
) STRICT, WITHOUT ROWID;

-- What a replay needs to show any place of a log quickly, both derived from the log: the session after some events, and
-- the events that a reader looks for. A later version whose fold differs deletes them and sets `folded` to 0.
CREATE TABLE checkpoint (
  conversation INTEGER NOT NULL REFERENCES conversation (number) ON DELETE CASCADE,
  seq          INTEGER NOT NULL,
  session      TEXT NOT NULL,
  PRIMARY KEY (conversation, seq)
) STRICT, WITHOUT ROWID;
CREATE TABLE mark (
  conversation INTEGER NOT NULL REFERENCES conversation (number) ON DELETE CASCADE,
  seq          INTEGER NOT NULL,
  kind         TEXT NOT NULL,
  PRIMARY KEY (conversation, seq)
) STRICT, WITHOUT ROWID;

-- Cost and tokens by day (since the Unix epoch, UTC) and model. The sums of a conversation are its totals.
CREATE TABLE usage (
  conversation      INTEGER NOT NULL REFERENCES conversation (number) ON DELETE CASCADE,
  day               INTEGER NOT NULL,
  model             TEXT NOT NULL,
  cost              REAL NOT NULL,
  prompt_tokens     INTEGER NOT NULL,
  completion_tokens INTEGER NOT NULL,
  cache_read_tokens INTEGER NOT NULL,
  PRIMARY KEY (conversation, day, model)
) STRICT, WITHOUT ROWID;
CREATE INDEX usage_by_day ON usage (day);

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
