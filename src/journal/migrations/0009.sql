-- Conversations that people have pinned to the top of their lists.
CREATE TABLE pin (
  person       INTEGER NOT NULL,
  conversation TEXT NOT NULL,
  PRIMARY KEY (person, conversation)
) STRICT, WITHOUT ROWID;
