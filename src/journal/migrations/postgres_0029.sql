-- Since when an approval request waits for an answer, where that is not when it was asked: it was asked anew, what happens
-- without an answer was changed, or the clock was. Milliseconds since the Unix epoch.
ALTER TABLE approval ADD COLUMN waits_since BIGINT;

-- When deputies were told of it, and their names, as JSON.
ALTER TABLE approval ADD COLUMN escalated_at BIGINT;
ALTER TABLE approval ADD COLUMN escalated_to TEXT COLLATE "C" NOT NULL DEFAULT '';

-- Whether it was rejected because nobody answered.
ALTER TABLE approval ADD COLUMN unanswered BIGINT NOT NULL DEFAULT 0;

-- Why a row was rejected that nobody answered; else empty.
ALTER TABLE row_author ADD COLUMN unanswered TEXT COLLATE "C" NOT NULL DEFAULT '';

-- A NUL in JSON stands as `engine/nul.rs` has it in texts.
CREATE OR REPLACE FUNCTION as_json(text) RETURNS json LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  AS $$SELECT CAST(regexp_replace($1, '(?<!\\)((?:\\\\)*)\\u0000', '\1\\ufdd00', 'g') AS json)$$;

-- An index takes 2,704 bytes: of what others name at any length it has the beginning, or a hash.
DROP INDEX conversation_by_repository, event_by_key, event_by_answer, line_by_place;
CREATE INDEX conversation_by_repository ON conversation USING hash (repository) WHERE repository IS NOT NULL;
CREATE UNIQUE INDEX event_by_key ON event (conversation, substr(key, 1, 500), md5(substr(key, 501))) WHERE key IS NOT NULL;
CREATE INDEX event_by_answer ON event (conversation, substr(answers_key, 1, 500), seq) WHERE answers_key IS NOT NULL;
CREATE INDEX line_by_place ON line USING hash (place) WHERE place IS NOT NULL;
CREATE FUNCTION tag_is_bounded() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.tag = left(NEW.tag, 600);
  RETURN NEW;
END $$;
CREATE TRIGGER tag_is_bounded BEFORE INSERT ON line_tag FOR EACH ROW EXECUTE FUNCTION tag_is_bounded();
