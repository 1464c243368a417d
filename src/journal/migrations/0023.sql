-- How long answered approvals waited, in sums by the day of the answer (days since the Unix epoch, UTC) and the creator of the
-- conversation. REAL, as other sums.
CREATE TABLE waited (
  day     INTEGER NOT NULL,
  creator TEXT NOT NULL COLLATE NOCASE,
  answers INTEGER NOT NULL,
  millis  REAL NOT NULL,
  PRIMARY KEY (day, creator)
) STRICT, WITHOUT ROWID;
CREATE INDEX waited_of_one ON waited (creator, day);
CREATE TRIGGER waited_is_over AFTER UPDATE ON waited WHEN new.answers = 0 BEGIN
  DELETE FROM waited WHERE day = new.day AND creator = new.creator;
END;
INSERT INTO waited
  SELECT answered_at / 86400000, ifnull(starter, ''), count(*), total(max(answered_at - asked_at, 0))
  FROM approval JOIN conversation ON conversation.number = approval.conversation
    LEFT JOIN sharing ON sharing.conversation = conversation.id
  WHERE answered_at IS NOT NULL GROUP BY 1, 2;

-- A row of `approval` goes with its conversation alone.
CREATE TRIGGER approval_is_answered AFTER UPDATE OF answered_at ON approval WHEN new.answered_at IS NOT old.answered_at BEGIN
  UPDATE waited SET answers = answers - 1, millis = millis - max(old.answered_at - old.asked_at, 0)
    WHERE day = old.answered_at / 86400000 AND creator = ifnull(
      (SELECT starter FROM sharing JOIN conversation ON conversation.id = sharing.conversation WHERE number = old.conversation), '');
  INSERT INTO waited
    SELECT new.answered_at / 86400000, ifnull(starter, ''), 1, max(new.answered_at - new.asked_at, 0)
    FROM conversation LEFT JOIN sharing ON sharing.conversation = conversation.id
    WHERE number = new.conversation AND new.answered_at IS NOT NULL
    ON CONFLICT DO UPDATE SET answers = answers + excluded.answers, millis = millis + excluded.millis;
END;
-- The sums of a conversation move to the creator it gets, and go with it.
CREATE VIEW waited_for AS
  SELECT id, answered_at / 86400000 AS day, count(*) AS answers, total(max(answered_at - asked_at, 0)) AS millis
  FROM approval JOIN conversation ON conversation.number = approval.conversation
  WHERE answered_at IS NOT NULL GROUP BY id, day;
CREATE TRIGGER waited_gets_creator AFTER INSERT ON sharing WHEN new.starter <> '' BEGIN
  UPDATE waited SET answers = waited.answers - one.answers, millis = waited.millis - one.millis
    FROM waited_for AS one WHERE one.id = new.conversation AND waited.day = one.day AND waited.creator = '';
  INSERT INTO waited SELECT day, new.starter, answers, millis FROM waited_for WHERE id = new.conversation
    ON CONFLICT DO UPDATE SET answers = answers + excluded.answers, millis = millis + excluded.millis;
END;
CREATE TRIGGER waited_changes_creator AFTER UPDATE OF starter ON sharing WHEN old.starter <> new.starter BEGIN
  UPDATE waited SET answers = waited.answers - one.answers, millis = waited.millis - one.millis
    FROM waited_for AS one WHERE one.id = new.conversation AND waited.day = one.day AND waited.creator = old.starter;
  INSERT INTO waited SELECT day, new.starter, answers, millis FROM waited_for WHERE id = new.conversation
    ON CONFLICT DO UPDATE SET answers = answers + excluded.answers, millis = millis + excluded.millis;
END;
CREATE TRIGGER waited_goes BEFORE DELETE ON conversation BEGIN
  UPDATE waited SET answers = waited.answers - one.answers, millis = waited.millis - one.millis
    FROM waited_for AS one WHERE one.id = old.id AND waited.day = one.day
      AND waited.creator = ifnull((SELECT starter FROM sharing WHERE conversation = old.id), '');
END;
-- One that is being deleted gets another id, for which nobody is the creator.
CREATE TRIGGER waited_is_hidden AFTER UPDATE OF id ON conversation WHEN new.id <> old.id BEGIN
  UPDATE waited SET answers = waited.answers - one.answers, millis = waited.millis - one.millis
    FROM waited_for AS one WHERE one.id = new.id AND waited.day = one.day
      AND waited.creator = ifnull((SELECT starter FROM sharing WHERE conversation = old.id), '');
  INSERT INTO waited
    SELECT day, ifnull((SELECT starter FROM sharing WHERE conversation = new.id), ''), answers, millis
    FROM waited_for WHERE id = new.id
    ON CONFLICT DO UPDATE SET answers = answers + excluded.answers, millis = millis + excluded.millis;
END;
