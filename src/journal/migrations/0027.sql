-- Budgets that a conversation has reached, or nearly: for itself, its creator or its repository, in a period that began on a day
-- (since the Unix epoch, UTC). `percent` is 80 or 100. One that was lifted stops nothing until its period ends.
CREATE TABLE budget_reached (
  conversation INTEGER NOT NULL REFERENCES conversation (number) ON DELETE CASCADE,
  scope        TEXT NOT NULL,
  period       TEXT NOT NULL,
  began        INTEGER NOT NULL,
  percent      INTEGER NOT NULL,
  spent        REAL NOT NULL,
  amount       REAL NOT NULL,
  at           INTEGER NOT NULL,
  lifted_at    INTEGER,
  lifted_by    TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (conversation, scope, period, began)
) STRICT, WITHOUT ROWID;
CREATE INDEX budget_reached_by_time ON budget_reached (began, at) WHERE lifted_at IS NULL;
CREATE INDEX conversation_by_repository ON conversation (repository) WHERE repository IS NOT NULL;
