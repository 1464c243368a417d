-- What an access token may do in the API, in words; empty if its role says all.
ALTER TABLE access_token ADD COLUMN scopes TEXT NOT NULL DEFAULT '';

-- What was asked under a key that a client chose, so that a repetition has no effect. The answer is empty until there is one.
CREATE TABLE idempotency (
  -- The credential of the client.
  client   TEXT NOT NULL,
  key      TEXT NOT NULL,
  -- SHA-256 of the request.
  request  TEXT NOT NULL,
  asked_at INTEGER NOT NULL,
  status   INTEGER,
  answer   TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (client, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_by_time ON idempotency (asked_at);

-- What the token of an approval is the digest of, beside the conversation: the calls, the digest of their rows, and the text
-- that was shown of them.
CREATE TABLE approval_shown (
  conversation INTEGER NOT NULL REFERENCES conversation (number) ON DELETE CASCADE,
  token        TEXT NOT NULL,
  calls        TEXT NOT NULL,
  content      TEXT NOT NULL,
  shown        TEXT NOT NULL,
  PRIMARY KEY (conversation, token)
) STRICT, WITHOUT ROWID;
