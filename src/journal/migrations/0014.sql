-- How far the clock of the conversation's server is ahead of UTC, in minutes: 0.x writes times without a zone. NULL: not known.
ALTER TABLE conversation ADD COLUMN ahead INTEGER;
-- Learnt as `Stamp::ahead_of` does: by the first event of a conversation, which follows its creation at once.
CREATE TEMPORARY TABLE clock AS
  SELECT number, first - created_at AS apart,
    (first - created_at + 60000 - ((first - created_at + 60000) % 900000 + 900000) % 900000) / 900000 AS quarters
  FROM (
    SELECT number, created_at,
      (SELECT at FROM event WHERE conversation = number AND at > 0 ORDER BY event.seq LIMIT 1) AS first,
      (SELECT CASE WHEN json_valid(raw) THEN json_extract(raw, '$.timestamp') END FROM event
       WHERE conversation = number AND at > 0 ORDER BY event.seq LIMIT 1) AS written
    FROM conversation WHERE backend <> 'Imported'
  )
  WHERE first IS NOT NULL AND written NOT GLOB '*T*[Zz+-]*';
DELETE FROM clock WHERE apart - quarters * 900000 > 180000 OR abs(quarters) > 56;
UPDATE conversation SET ahead = quarters * 15 FROM clock WHERE clock.number = conversation.number;
UPDATE event SET at = at - quarters * 900000 FROM clock
  WHERE clock.number = event.conversation AND quarters <> 0 AND at > 0;
DROP TABLE clock;
-- The index has words of scripts without spaces, and events of unknown kinds: it is filled again.
UPDATE unindexed SET up_to = (SELECT ifnull(max(id), 0) FROM event), of = (SELECT ifnull(max(id), 0) FROM event);
