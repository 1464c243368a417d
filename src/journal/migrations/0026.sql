-- Second approvers. How the actions of an approval are rated ('high', 'unrated', or empty for lower ratings), and who approved
-- first where a second person has to.
ALTER TABLE approval ADD COLUMN rating TEXT NOT NULL DEFAULT '';
ALTER TABLE approval ADD COLUMN first_person INTEGER;
ALTER TABLE approval ADD COLUMN first_name TEXT NOT NULL DEFAULT '';
ALTER TABLE approval ADD COLUMN first_at INTEGER;
CREATE INDEX approval_by_first ON approval (first_person) WHERE first_person IS NOT NULL;
-- Who approved a row before the one who completed the approval; empty if nobody had to.
ALTER TABLE row_author ADD COLUMN first_name TEXT NOT NULL DEFAULT '';
-- What people have asked for instead of a pending action. `action` is JSON: the tool and all of its arguments. The token is
-- that of the approval which was rejected for it.
CREATE TABLE amendment (
  number       INTEGER PRIMARY KEY AUTOINCREMENT,
  conversation INTEGER NOT NULL REFERENCES conversation (number) ON DELETE CASCADE,
  token        TEXT NOT NULL,
  -- Who made it; person 0 is the local user.
  person       INTEGER NOT NULL,
  -- The name, as it was.
  maker        TEXT NOT NULL,
  action       TEXT NOT NULL,
  made_at      INTEGER NOT NULL,
  expires_at   INTEGER NOT NULL,
  -- When it has answered, was replaced by another one, was not sent, or its maker lost the right.
  ended_at     INTEGER
) STRICT;
CREATE INDEX amendment_in_force ON amendment (conversation) WHERE ended_at IS NULL;
CREATE INDEX amendment_by_person ON amendment (person) WHERE ended_at IS NULL;
-- Whether an amendment answered a row.
ALTER TABLE row_author ADD COLUMN amended INTEGER NOT NULL DEFAULT 0;
