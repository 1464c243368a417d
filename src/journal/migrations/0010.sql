-- Search over all conversations. `scope` has one word per filter (conversation, kind, source, author, day), so that a
-- filter costs an intersection instead of a look at each event; `pieces` has the parts of camelCase words. The index is
-- filled again in the background, because it needs the events themselves: see `unindexed`.
DROP TABLE word;
CREATE VIRTUAL TABLE word USING fts5 (
  scope, body, pieces, path, content = '', contentless_delete = 1, tokenize = 'unicode61'
);
-- The words of the index, to complete the last word of a query.
CREATE VIRTUAL TABLE word_term USING fts5vocab ('word', 'row');
-- Events up to this id are not in the index yet; `of` is how many there were.
CREATE TABLE unindexed (
  up_to INTEGER NOT NULL,
  of    INTEGER NOT NULL
) STRICT;
INSERT INTO unindexed SELECT ifnull(max(id), 0), ifnull(max(id), 0) FROM event;
