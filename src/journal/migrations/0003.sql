-- Who began a conversation and who sees it. Those that are not here are for everybody.
CREATE TABLE sharing (
  conversation TEXT PRIMARY KEY,
  starter      TEXT NOT NULL,
  audience     TEXT NOT NULL,
  names        TEXT NOT NULL
) STRICT, WITHOUT ROWID;
