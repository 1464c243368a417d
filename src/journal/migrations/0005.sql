-- Labels of a conversation, as a JSON object.
ALTER TABLE conversation ADD COLUMN tags TEXT NOT NULL DEFAULT '{}';
