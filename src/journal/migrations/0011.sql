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
-- The seq up to which both are complete. Logs of before are folded when they are first replayed.
ALTER TABLE conversation ADD COLUMN folded INTEGER NOT NULL DEFAULT 0;
