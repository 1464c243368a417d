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
  complete_to INTEGER
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

-- Words of events; rowid is event.id. `conversation` holds one word, so that a search in one
-- conversation does not walk through the hits of all others. The text itself is not kept twice.
CREATE VIRTUAL TABLE word USING fts5 (conversation, body, content = '', contentless_delete = 1, tokenize = 'unicode61');

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
  PRIMARY KEY (conversation, client_id)
) STRICT;

CREATE TABLE draft (
  conversation TEXT PRIMARY KEY,
  text         TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE setting (
  key   TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
