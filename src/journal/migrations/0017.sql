-- Whether its sandbox runs or is being started.
ALTER TABLE line ADD COLUMN runs INTEGER NOT NULL DEFAULT 0;
UPDATE line SET runs = 1 WHERE json_extract(shown, '$.runtime') IN ('running', 'starting', 'preparing');
CREATE INDEX line_running ON line (backend) WHERE runs = 1;
DROP INDEX line_by_creator;
DROP INDEX line_needing;
CREATE INDEX line_by_creator ON line (creator, shelved, updated_at DESC, id);
CREATE INDEX line_by_creator_creation ON line (creator, shelved, created_at DESC, id);
CREATE INDEX line_by_creator_title ON line (creator, shelved, title, id);
CREATE INDEX line_needing ON line (shelved, audience, updated_at DESC, id) WHERE needs = 1;
CREATE INDEX line_needing_by_creator ON line (creator, shelved, updated_at DESC, id) WHERE needs = 1;
-- Who sees a conversation that is not for everybody: its creator and, of audience 'some', those that it is shared with by
-- name. With what the list is sorted by, so that everybody's list can be read in order.
CREATE TABLE reader (
  name       TEXT NOT NULL COLLATE NOCASE,
  line       INTEGER NOT NULL REFERENCES line (number) ON DELETE CASCADE,
  id         TEXT NOT NULL,
  title      TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  needs      INTEGER NOT NULL,
  shelved    INTEGER NOT NULL,
  PRIMARY KEY (name, line)
) STRICT, WITHOUT ROWID;
CREATE INDEX reader_by_line ON reader (line);
CREATE INDEX reader_by_change ON reader (name, shelved, updated_at DESC, id);
CREATE INDEX reader_by_creation ON reader (name, shelved, created_at DESC, id);
CREATE INDEX reader_by_title ON reader (name, shelved, title, id);
CREATE INDEX reader_needing ON reader (name, shelved, updated_at DESC, id) WHERE needs = 1;
CREATE TRIGGER line_is_new AFTER INSERT ON line WHEN new.audience <> 'all' BEGIN
  INSERT OR IGNORE INTO reader
    SELECT name, new.number, new.id, new.title, new.created_at, new.updated_at, new.needs, new.shelved FROM (
      SELECT new.creator AS name UNION ALL
      SELECT name FROM share WHERE conversation = new.id AND new.audience = 'some'
    ) WHERE name <> '';
END;
CREATE TRIGGER line_has_changed AFTER UPDATE OF title, created_at, updated_at, needs, shelved ON line
WHEN new.audience <> 'all' BEGIN
  UPDATE reader SET title = new.title, created_at = new.created_at, updated_at = new.updated_at, needs = new.needs,
    shelved = new.shelved WHERE line = new.number;
END;
-- The names that a conversation is shared with are stored before its audience.
CREATE TRIGGER line_is_shared AFTER UPDATE OF creator, audience ON line BEGIN
  DELETE FROM reader WHERE line = new.number;
  INSERT OR IGNORE INTO reader
    SELECT name, new.number, new.id, new.title, new.created_at, new.updated_at, new.needs, new.shelved FROM (
      SELECT new.creator AS name UNION ALL
      SELECT name FROM share WHERE conversation = new.id AND new.audience = 'some'
    ) WHERE name <> '' AND new.audience <> 'all';
END;
UPDATE line SET audience = audience WHERE audience <> 'all';
-- The conversations that are not for everybody, to find what somebody does not see.
CREATE INDEX sharing_narrow ON sharing (conversation) WHERE audience <> 'all';
