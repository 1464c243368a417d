-- The outcome of an action is found by its number.
CREATE INDEX audit_by_about ON audit (about) WHERE about <> 0;
