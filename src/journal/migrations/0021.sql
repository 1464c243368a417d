-- Whether somebody has put the conversation away. It is in the list only if it is asked for.
ALTER TABLE conversation ADD COLUMN archived INTEGER NOT NULL DEFAULT 0;
-- line.shelved is a sum from now on: 1 if its backend is not in use, 2 if it is archived.
-- Whether an approval has ended without an answer.
ALTER TABLE line ADD COLUMN lapsed INTEGER NOT NULL DEFAULT 0;
CREATE INDEX line_lapsed ON line (updated_at DESC, id) WHERE lapsed = 1;
-- The repository or folder that the list is grouped by; the last character that there is without one.
ALTER TABLE line ADD COLUMN home TEXT NOT NULL DEFAULT '';
UPDATE line SET home = CASE WHEN place IS NULL OR place = '' OR substr(place, -length(id)) = id THEN char(1114111) ELSE place END;
ALTER TABLE reader ADD COLUMN home TEXT NOT NULL DEFAULT '';
ALTER TABLE reader ADD COLUMN backend TEXT NOT NULL DEFAULT '';
UPDATE reader SET (home, backend) = (SELECT home, backend FROM line WHERE line.number = reader.line);
CREATE INDEX line_by_home ON line (shelved, audience, home, updated_at DESC, id);
CREATE INDEX line_by_label ON line (shelved, audience, backend, updated_at DESC, id);
CREATE INDEX line_by_creator_home ON line (creator, shelved, home, updated_at DESC, id);
CREATE INDEX line_by_creator_label ON line (creator, shelved, backend, updated_at DESC, id);
CREATE INDEX reader_by_home ON reader (name, shelved, home, updated_at DESC, id);
CREATE INDEX reader_by_label ON reader (name, shelved, backend, updated_at DESC, id);
DROP TRIGGER line_is_new;
DROP TRIGGER line_has_changed;
DROP TRIGGER line_is_shared;
CREATE TRIGGER line_is_new AFTER INSERT ON line WHEN new.audience <> 'all' BEGIN
  INSERT OR IGNORE INTO reader
    SELECT name, new.number, new.id, new.title, new.created_at, new.updated_at, new.needs, new.shelved, new.home, new.backend FROM (
      SELECT new.creator AS name UNION ALL
      SELECT name FROM share WHERE conversation = new.id AND new.audience = 'some'
    ) WHERE name <> '';
END;
CREATE TRIGGER line_has_changed AFTER UPDATE OF title, created_at, updated_at, needs, shelved, home, backend ON line
WHEN new.audience <> 'all' BEGIN
  UPDATE reader SET title = new.title, created_at = new.created_at, updated_at = new.updated_at, needs = new.needs,
    shelved = new.shelved, home = new.home, backend = new.backend WHERE line = new.number;
END;
CREATE TRIGGER line_is_shared AFTER UPDATE OF creator, audience ON line BEGIN
  DELETE FROM reader WHERE line = new.number;
  INSERT OR IGNORE INTO reader
    SELECT name, new.number, new.id, new.title, new.created_at, new.updated_at, new.needs, new.shelved, new.home, new.backend FROM (
      SELECT new.creator AS name UNION ALL
      SELECT name FROM share WHERE conversation = new.id AND new.audience = 'some'
    ) WHERE name <> '' AND new.audience <> 'all';
END;
-- Each line gets the word of its state anew.
INSERT INTO unlined SELECT number, seq FROM conversation WHERE true ON CONFLICT (conversation) DO UPDATE SET seq = excluded.seq;
