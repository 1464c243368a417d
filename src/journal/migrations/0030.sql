-- Whether an approval, the first of two, and what was asked for instead were given with a touch of a passkey.
ALTER TABLE approval ADD COLUMN touched INTEGER NOT NULL DEFAULT 0;
ALTER TABLE approval ADD COLUMN first_touched INTEGER NOT NULL DEFAULT 0;
ALTER TABLE amendment ADD COLUMN touched INTEGER NOT NULL DEFAULT 0;
ALTER TABLE row_author ADD COLUMN touched INTEGER NOT NULL DEFAULT 0;
