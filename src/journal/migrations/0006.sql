-- The message that a conversation is begun with waits in the outbox like any other, with who wrote it.
ALTER TABLE sharing DROP COLUMN opening;
