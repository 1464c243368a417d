-- What is spent, kept in sums, so that the page over all conversations reads as much with many conversations as with few. A
-- conversation counts unless it is an import of what is here already: one that has spent exactly what another one has.
-- Sums of tokens are REAL: a sum of integers that is too large would be an error.
CREATE TABLE spender (
  number            INTEGER PRIMARY KEY,
  id                TEXT NOT NULL UNIQUE,
  creator           TEXT NOT NULL COLLATE NOCASE,
  imported          INTEGER NOT NULL,
  counts            INTEGER NOT NULL,
  last_day          INTEGER NOT NULL,
  cost              REAL NOT NULL,
  prompt_tokens     REAL NOT NULL,
  completion_tokens REAL NOT NULL,
  cache_read_tokens REAL NOT NULL,
  tokens            REAL GENERATED ALWAYS AS (prompt_tokens + completion_tokens) VIRTUAL
) STRICT;
INSERT INTO spender
  SELECT usage.conversation, id, ifnull(starter, ''), backend = 'Imported', 1, max(day), total(cost), total(prompt_tokens),
    total(completion_tokens), total(cache_read_tokens)
  FROM usage JOIN conversation ON conversation.number = usage.conversation
    LEFT JOIN sharing ON sharing.conversation = conversation.id
  GROUP BY usage.conversation;
CREATE INDEX spender_alike ON spender (round(cost, 9), prompt_tokens, completion_tokens, cache_read_tokens, imported, number);
UPDATE spender SET counts = 0 WHERE imported AND number <> (
  SELECT number FROM spender AS other WHERE round(other.cost, 9) = round(spender.cost, 9)
    AND other.prompt_tokens = spender.prompt_tokens AND other.completion_tokens = spender.completion_tokens
    AND other.cache_read_tokens = spender.cache_read_tokens
  ORDER BY imported, number LIMIT 1
);
CREATE INDEX spender_counted
  ON spender (round(cost, 9), prompt_tokens, completion_tokens, cache_read_tokens, imported, counts)
  WHERE imported = 1 AND counts = 1;
-- The highest of those that were at work last on one day.
CREATE INDEX spender_by_cost ON spender (last_day, cost DESC, tokens DESC, id) WHERE counts = 1;
CREATE INDEX spender_by_input ON spender (last_day, prompt_tokens DESC, tokens DESC, id) WHERE counts = 1;
CREATE INDEX spender_by_output ON spender (last_day, completion_tokens DESC, tokens DESC, id) WHERE counts = 1;
CREATE INDEX spender_of_one_by_cost ON spender (creator, last_day, cost DESC, tokens DESC, id) WHERE counts = 1;
CREATE INDEX spender_of_one_by_input ON spender (creator, last_day, prompt_tokens DESC, tokens DESC, id) WHERE counts = 1;
CREATE INDEX spender_of_one_by_output ON spender (creator, last_day, completion_tokens DESC, tokens DESC, id) WHERE counts = 1;

-- The sums of what counts, by day, creator and model; `records` is how many rows of `usage` are in a sum.
CREATE TABLE spending (
  day               INTEGER NOT NULL,
  creator           TEXT NOT NULL COLLATE NOCASE,
  model             TEXT NOT NULL,
  records           INTEGER NOT NULL,
  cost              REAL NOT NULL,
  prompt_tokens     REAL NOT NULL,
  completion_tokens REAL NOT NULL,
  cache_read_tokens REAL NOT NULL,
  PRIMARY KEY (day, creator, model)
) STRICT, WITHOUT ROWID;
CREATE INDEX spending_of_one ON spending (creator, day);
INSERT INTO spending
  SELECT day, creator, model, count(*), total(usage.cost), total(usage.prompt_tokens), total(usage.completion_tokens),
    total(usage.cache_read_tokens)
  FROM usage JOIN spender ON spender.number = usage.conversation WHERE counts = 1 GROUP BY day, creator, model;
CREATE TRIGGER spending_is_over AFTER UPDATE OF records ON spending WHEN new.records = 0 BEGIN
  DELETE FROM spending WHERE day = new.day AND creator = new.creator AND model = new.model;
END;

-- How many conversations that count were at work last on a day.
CREATE TABLE spenders (
  day     INTEGER NOT NULL,
  creator TEXT NOT NULL COLLATE NOCASE,
  count   INTEGER NOT NULL,
  PRIMARY KEY (day, creator)
) STRICT, WITHOUT ROWID;
CREATE INDEX spenders_of_one ON spenders (creator, day, count);
INSERT INTO spenders SELECT last_day, creator, count(*) FROM spender WHERE counts = 1 GROUP BY last_day, creator;
CREATE TRIGGER spenders_are_gone AFTER UPDATE ON spenders WHEN new.count = 0 BEGIN
  DELETE FROM spenders WHERE day = new.day AND creator = new.creator;
END;

-- Rows of `usage` are only added and changed; they go with their conversation. The sums first: what follows may decide
-- that a conversation counts, or no longer, with all its rows.
CREATE TRIGGER usage_is_new AFTER INSERT ON usage BEGIN
  INSERT INTO spender
    SELECT number, id, ifnull((SELECT starter FROM sharing WHERE sharing.conversation = id), ''), backend = 'Imported', 1,
      new.day, 0, 0, 0, 0
    FROM conversation WHERE number = new.conversation
    ON CONFLICT (number) DO NOTHING;
  INSERT INTO spending
    SELECT new.day, creator, new.model, 1, new.cost, new.prompt_tokens, new.completion_tokens, new.cache_read_tokens
    FROM spender WHERE number = new.conversation AND counts = 1
    ON CONFLICT DO UPDATE SET records = records + excluded.records, cost = cost + excluded.cost,
      prompt_tokens = prompt_tokens + excluded.prompt_tokens,
      completion_tokens = completion_tokens + excluded.completion_tokens,
      cache_read_tokens = cache_read_tokens + excluded.cache_read_tokens;
  UPDATE spender SET last_day = new.day WHERE number = new.conversation AND last_day < new.day;
  UPDATE spender SET cost = cost + new.cost,
    prompt_tokens = prompt_tokens + new.prompt_tokens, completion_tokens = completion_tokens + new.completion_tokens,
    cache_read_tokens = cache_read_tokens + new.cache_read_tokens
    WHERE number = new.conversation;
END;
CREATE TRIGGER usage_has_changed AFTER UPDATE ON usage BEGIN
  UPDATE spending SET cost = cost + new.cost - old.cost, prompt_tokens = prompt_tokens + new.prompt_tokens - old.prompt_tokens,
    completion_tokens = completion_tokens + new.completion_tokens - old.completion_tokens,
    cache_read_tokens = cache_read_tokens + new.cache_read_tokens - old.cache_read_tokens
    WHERE day = new.day AND model = new.model
      AND creator = (SELECT creator FROM spender WHERE number = new.conversation AND counts = 1);
  UPDATE spender SET cost = cost + new.cost - old.cost, prompt_tokens = prompt_tokens + new.prompt_tokens - old.prompt_tokens,
    completion_tokens = completion_tokens + new.completion_tokens - old.completion_tokens,
    cache_read_tokens = cache_read_tokens + new.cache_read_tokens - old.cache_read_tokens
    WHERE number = new.conversation;
END;
CREATE TRIGGER creator_is_new AFTER INSERT ON sharing BEGIN
  UPDATE spender SET creator = new.starter WHERE id = new.conversation AND creator <> new.starter;
END;
CREATE TRIGGER creator_has_changed AFTER UPDATE OF starter ON sharing BEGIN
  UPDATE spender SET creator = new.starter WHERE id = new.conversation AND creator <> new.starter;
END;
CREATE TRIGGER import_has_changed AFTER UPDATE OF backend ON conversation
WHEN (old.backend = 'Imported') <> (new.backend = 'Imported') BEGIN
  UPDATE spender SET imported = new.backend = 'Imported' WHERE number = new.number;
END;
CREATE TRIGGER spender_goes BEFORE DELETE ON conversation BEGIN
  UPDATE spender SET counts = 0 WHERE number = old.number;
  DELETE FROM spender WHERE number = old.number;
END;

-- Who counts, for whom and until when. What did not change is subtracted and added again.
CREATE TRIGGER spender_is_new AFTER INSERT ON spender BEGIN
  INSERT INTO spenders VALUES (new.last_day, new.creator, 1) ON CONFLICT DO UPDATE SET count = count + 1;
END;
CREATE TRIGGER spender_has_moved AFTER UPDATE OF creator, counts, last_day ON spender
WHEN old.counts <> new.counts OR old.last_day <> new.last_day OR old.creator <> new.creator BEGIN
  UPDATE spenders SET count = count - 1 WHERE old.counts = 1 AND day = old.last_day AND creator = old.creator;
  INSERT INTO spenders SELECT new.last_day, new.creator, 1 WHERE new.counts = 1 ON CONFLICT DO UPDATE SET count = count + 1;
END;
CREATE TRIGGER spender_counts_for_another AFTER UPDATE OF creator, counts ON spender
WHEN old.counts <> new.counts OR old.creator <> new.creator BEGIN
  INSERT INTO spending
    SELECT day, old.creator, model, -1, -cost, -prompt_tokens, -completion_tokens, -cache_read_tokens
    FROM usage WHERE conversation = old.number AND old.counts = 1
    ON CONFLICT DO UPDATE SET records = records + excluded.records, cost = cost + excluded.cost,
      prompt_tokens = prompt_tokens + excluded.prompt_tokens,
      completion_tokens = completion_tokens + excluded.completion_tokens,
      cache_read_tokens = cache_read_tokens + excluded.cache_read_tokens;
  INSERT INTO spending
    SELECT day, new.creator, model, 1, cost, prompt_tokens, completion_tokens, cache_read_tokens
    FROM usage WHERE conversation = new.number AND new.counts = 1
    ON CONFLICT DO UPDATE SET records = records + excluded.records, cost = cost + excluded.cost,
      prompt_tokens = prompt_tokens + excluded.prompt_tokens,
      completion_tokens = completion_tokens + excluded.completion_tokens,
      cache_read_tokens = cache_read_tokens + excluded.cache_read_tokens;
END;
-- Of conversations that are alike, those that are no imports count; without one, the first import.
CREATE TRIGGER spender_is_like_others
AFTER UPDATE OF cost, prompt_tokens, completion_tokens, cache_read_tokens, imported ON spender BEGIN
  UPDATE spender SET counts = 1 WHERE number = new.number AND imported = 0 AND counts = 0;
  UPDATE spender SET counts = 0 WHERE imported = 1 AND counts = 1 AND round(cost, 9) = round(new.cost, 9)
    AND prompt_tokens = new.prompt_tokens AND completion_tokens = new.completion_tokens
    AND cache_read_tokens = new.cache_read_tokens AND number <> (
      SELECT number FROM spender WHERE round(cost, 9) = round(new.cost, 9) AND prompt_tokens = new.prompt_tokens
        AND completion_tokens = new.completion_tokens AND cache_read_tokens = new.cache_read_tokens
      ORDER BY imported, number LIMIT 1
    );
  UPDATE spender SET counts = 1 WHERE counts = 0 AND number = (
    SELECT number FROM spender WHERE round(cost, 9) = round(new.cost, 9) AND prompt_tokens = new.prompt_tokens
      AND completion_tokens = new.completion_tokens AND cache_read_tokens = new.cache_read_tokens
    ORDER BY imported, number LIMIT 1
  );
  UPDATE spender SET counts = 1 WHERE counts = 0 AND number = (
    SELECT number FROM spender WHERE round(cost, 9) = round(old.cost, 9) AND prompt_tokens = old.prompt_tokens
      AND completion_tokens = old.completion_tokens AND cache_read_tokens = old.cache_read_tokens
    ORDER BY imported, number LIMIT 1
  );
END;
CREATE TRIGGER spender_has_gone AFTER DELETE ON spender BEGIN
  UPDATE spender SET counts = 1 WHERE counts = 0 AND number = (
    SELECT number FROM spender WHERE round(cost, 9) = round(old.cost, 9) AND prompt_tokens = old.prompt_tokens
      AND completion_tokens = old.completion_tokens AND cache_read_tokens = old.cache_read_tokens
    ORDER BY imported, number LIMIT 1
  );
END;
DROP INDEX usage_by_day;

-- What is on its way is few of what ever was.
CREATE INDEX outbox_under_way ON outbox (conversation) WHERE state <> 'done';
CREATE INDEX approval_sent ON approval (conversation) WHERE state = 'sent';
CREATE INDEX approval_unanswered ON approval (conversation) WHERE state IN ('open', 'indeterminate');
CREATE INDEX notice_by_seq ON notice (channel, seq);
CREATE INDEX notice_by_age ON notice (made_at);
-- The newest conversations, among which a filter chooses.
CREATE INDEX conversation_by_change ON conversation (updated_at DESC, id);
-- The entries that actions begin with, by what the audit log is filtered by.
CREATE INDEX audit_begun_by_name ON audit (name COLLATE NOCASE) WHERE about = 0;
CREATE INDEX audit_begun_by_action ON audit (action) WHERE about = 0;
CREATE INDEX audit_begun_by_conversation ON audit (conversation) WHERE about = 0;
-- What people were told of a conversation goes with it.
DELETE FROM told WHERE conversation NOT IN (SELECT id FROM conversation);
CREATE TRIGGER nobody_is_told AFTER DELETE ON conversation BEGIN
  DELETE FROM told WHERE conversation = old.id;
END;
