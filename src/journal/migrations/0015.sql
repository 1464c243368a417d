-- The list of conversations: one line for each, as it is shown, and what it is found, filtered and sorted by.
CREATE TABLE line (
  number     INTEGER PRIMARY KEY REFERENCES conversation (number) ON DELETE CASCADE,
  id         TEXT NOT NULL UNIQUE,
  -- The entry of the list as JSON.
  shown      TEXT NOT NULL,
  -- In lower case.
  title      TEXT NOT NULL,
  -- Title, repository and tags in lower case, one a line.
  words      TEXT NOT NULL,
  backend    TEXT NOT NULL,
  place      TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  -- Whether a person is needed; whether an approval is pending; whether its sandbox is up.
  needs      INTEGER NOT NULL,
  asks       INTEGER NOT NULL,
  up         INTEGER NOT NULL,
  -- 'running', 'done' or empty.
  state      TEXT NOT NULL,
  -- As in `sharing`; a conversation that is not there is for everybody.
  creator    TEXT NOT NULL COLLATE NOCASE,
  audience   TEXT NOT NULL,
  -- Whether its backend is not in use.
  shelved    INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX line_by_change ON line (shelved, audience, updated_at DESC, id);
CREATE INDEX line_by_creation ON line (shelved, audience, created_at DESC, id);
CREATE INDEX line_by_title ON line (shelved, audience, title, id);
CREATE INDEX line_by_creator ON line (creator, updated_at DESC, id);
CREATE INDEX line_by_backend ON line (backend, shelved);
CREATE INDEX line_by_place ON line (place) WHERE place IS NOT NULL;
CREATE INDEX line_by_state ON line (state) WHERE state <> '';
CREATE INDEX line_needing ON line (updated_at DESC, id) WHERE needs = 1;
CREATE INDEX line_asking ON line (updated_at DESC, id) WHERE asks = 1;
CREATE INDEX line_up ON line (backend, id) WHERE up = 1;
CREATE TABLE line_tag (
  tag  TEXT NOT NULL,
  line INTEGER NOT NULL REFERENCES line (number) ON DELETE CASCADE,
  PRIMARY KEY (tag, line)
) STRICT, WITHOUT ROWID;
CREATE INDEX line_tag_by_line ON line_tag (line);
-- Finds a part of a word; rowid is line.number.
CREATE VIRTUAL TABLE line_word USING fts5 (words, content = '', contentless_delete = 1, tokenize = 'trigram');
CREATE INDEX share_by_name ON share (name, conversation);
-- Conversations that have changed since their line was made, with their seq then. A start makes these lines again.
CREATE TABLE unlined (
  conversation INTEGER PRIMARY KEY REFERENCES conversation (number) ON DELETE CASCADE,
  seq          INTEGER NOT NULL
) STRICT;
INSERT INTO unlined SELECT number, seq FROM conversation;
CREATE INDEX told_unsettled ON told (conversation) WHERE phase = 'working' OR token <> '';
-- Imports under way; a start forgets those of a former process.
CREATE INDEX conversation_importing ON conversation (id) WHERE runtime = 'importing';
