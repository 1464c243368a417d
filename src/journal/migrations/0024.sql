-- Rules by which pending actions are approved without asking a person. Scope and conditions are JSON.
CREATE TABLE rule (
  number     INTEGER PRIMARY KEY AUTOINCREMENT,
  -- Who made it; person 0 is the local user.
  person     INTEGER NOT NULL,
  -- The name, as it was.
  maker      TEXT NOT NULL,
  scope      TEXT NOT NULL,
  conditions TEXT NOT NULL,
  made_at    INTEGER NOT NULL,
  expires_at INTEGER,
  ended_at   INTEGER,
  -- Who ended it; empty if its maker lost the right.
  ended_by   TEXT NOT NULL DEFAULT '',
  -- How often it answered, and when last.
  used       INTEGER NOT NULL DEFAULT 0,
  used_at    INTEGER
) STRICT;
CREATE INDEX rule_in_force ON rule (number) WHERE ended_at IS NULL;
-- A rule ends when its maker loses the right, and does not come back with it.
CREATE TRIGGER rules_end_with_the_right AFTER UPDATE OF role, disabled ON person
WHEN new.disabled = 1 OR new.role NOT IN ('owner', 'operator', 'approver') BEGIN
  UPDATE rule SET ended_at = unixepoch() * 1000 WHERE person = new.number AND ended_at IS NULL;
END;
CREATE TRIGGER rules_for_high_risk_end_with_the_owner AFTER UPDATE OF role ON person
WHEN old.role = 'owner' AND new.role <> 'owner' BEGIN
  UPDATE rule SET ended_at = unixepoch() * 1000
    WHERE person = new.number AND ended_at IS NULL AND json_extract(conditions, '$.highest') = 'high';
END;
CREATE TRIGGER rules_end_with_their_maker AFTER DELETE ON person BEGIN
  UPDATE rule SET ended_at = unixepoch() * 1000 WHERE person = old.number AND ended_at IS NULL;
END;
-- With the first owner, the local user loses all rights.
CREATE TRIGGER rules_of_the_local_user_end AFTER INSERT ON person WHEN new.role = 'owner' BEGIN
  UPDATE rule SET ended_at = unixepoch() * 1000 WHERE person = 0 AND ended_at IS NULL;
END;
-- What was understood of an approval, by which rules are tried on the history. Apart from what was shown, which is large.
CREATE TABLE reading (
  conversation INTEGER NOT NULL REFERENCES conversation (number) ON DELETE CASCADE,
  token        TEXT NOT NULL,
  question     TEXT NOT NULL,
  asked_at     INTEGER NOT NULL,
  -- The row of its first action.
  row          INTEGER NOT NULL,
  -- Of the reader.
  version      INTEGER NOT NULL,
  reading      TEXT NOT NULL,
  -- The answer, and the rule that gave it.
  approved     INTEGER,
  rule         INTEGER,
  PRIMARY KEY (conversation, token)
) STRICT, WITHOUT ROWID;
CREATE INDEX reading_by_time ON reading (asked_at);
CREATE INDEX approval_by_time ON approval (asked_at);
-- The rule that answered a row.
ALTER TABLE row_author ADD COLUMN rule INTEGER;
