-- How far each person has read each conversation, and how far before this visit. Person 0 is the local user.
CREATE TABLE seen (
  person       INTEGER NOT NULL,
  conversation INTEGER NOT NULL REFERENCES conversation (number) ON DELETE CASCADE,
  seq          INTEGER NOT NULL,
  since        INTEGER NOT NULL,
  at           INTEGER NOT NULL,
  PRIMARY KEY (person, conversation)
) STRICT, WITHOUT ROWID;
CREATE INDEX seen_by_conversation ON seen (conversation);
CREATE TRIGGER person_has_seen AFTER DELETE ON person BEGIN
  DELETE FROM seen WHERE person = old.number;
END;
