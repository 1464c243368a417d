-- Files that pages load, of this build and of earlier ones, packed with gzip.
CREATE TABLE site_file (
  name TEXT PRIMARY KEY,
  packed BYTEA NOT NULL,
  -- When a server of this build started last, in milliseconds since 1970.
  used_at BIGINT NOT NULL
);
