-- Comments of a person on lines of a conversation's changes.
CREATE TABLE comment (
  number       INTEGER PRIMARY KEY AUTOINCREMENT,
  conversation INTEGER NOT NULL REFERENCES conversation (number) ON DELETE CASCADE,
  person       INTEGER NOT NULL,
  -- Hash of the commit that has changed the line; empty if the change is not committed.
  in_commit    TEXT NOT NULL,
  file         TEXT NOT NULL,
  -- 'old' or 'new': the text that has the line.
  side         TEXT NOT NULL,
  line         INTEGER NOT NULL,
  quote        TEXT NOT NULL,
  text         TEXT NOT NULL,
  -- The message that has taken it with it, once the outbox has such a message.
  client_id    TEXT NOT NULL DEFAULT '',
  resolved     INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX comment_by_person ON comment (conversation, person);
CREATE TRIGGER person_has_gone AFTER DELETE ON person BEGIN
  DELETE FROM comment WHERE person = old.number;
END;
