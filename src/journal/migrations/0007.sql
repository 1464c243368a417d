-- Browsers in which somebody has logged in before: the guesses of strangers do not lock them out there.
CREATE TABLE known_device (
  hash    BLOB NOT NULL,
  person  INTEGER NOT NULL REFERENCES person (number) ON DELETE CASCADE,
  seen_at INTEGER NOT NULL,
  PRIMARY KEY (hash, person)
) STRICT, WITHOUT ROWID;
CREATE INDEX known_device_by_person ON known_device (person, seen_at);
-- In which of them a login was begun.
ALTER TABLE login ADD COLUMN known_device BLOB NOT NULL DEFAULT x'';
