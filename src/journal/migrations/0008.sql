-- When the approval was asked for and answered whose author a row has, in milliseconds since the Unix epoch. Empty for
-- messages, and for what was answered before these columns existed.
ALTER TABLE row_author ADD COLUMN asked_at INTEGER;
ALTER TABLE row_author ADD COLUMN answered_at INTEGER;
