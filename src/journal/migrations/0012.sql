-- Cost and tokens by day (since the Unix epoch, UTC) and model. The sums of a conversation are its totals.
CREATE TABLE usage (
  conversation      INTEGER NOT NULL REFERENCES conversation (number) ON DELETE CASCADE,
  day               INTEGER NOT NULL,
  model             TEXT NOT NULL,
  cost              REAL NOT NULL,
  prompt_tokens     INTEGER NOT NULL,
  completion_tokens INTEGER NOT NULL,
  cache_read_tokens INTEGER NOT NULL,
  PRIMARY KEY (conversation, day, model)
) STRICT, WITHOUT ROWID;
CREATE INDEX usage_by_day ON usage (day);
-- What was spent before this table existed counts for the day of the last change.
INSERT INTO usage
  SELECT number, updated_at / 86400000, ifnull(json_extract(session, '$.model.value'), ''),
    CAST(ifnull(json_extract(session, '$.metrics.cost'), 0) AS REAL),
    CAST(ifnull(json_extract(session, '$.metrics.prompt_tokens'), 0) AS INTEGER),
    CAST(ifnull(json_extract(session, '$.metrics.completion_tokens'), 0) AS INTEGER),
    CAST(ifnull(json_extract(session, '$.metrics.cache_read_tokens'), 0) AS INTEGER)
  FROM conversation
  WHERE json_extract(session, '$.metrics.cost') > 0 OR json_extract(session, '$.metrics.prompt_tokens') > 0;
