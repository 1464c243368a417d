-- The index follows behind the log: all events with a higher id than `after` are still to be indexed.
ALTER TABLE unindexed ADD COLUMN after INTEGER NOT NULL DEFAULT 0;
UPDATE unindexed SET after = (SELECT ifnull(max(id), 0) FROM event);
-- The ids of deleted events are given again.
CREATE TRIGGER event_is_unindexed AFTER INSERT ON event WHEN new.id <= (SELECT after FROM unindexed) BEGIN
  UPDATE unindexed SET after = new.id - 1;
END;
