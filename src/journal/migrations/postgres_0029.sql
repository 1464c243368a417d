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
