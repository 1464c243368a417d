//! Files that pages load, of this build and of earlier ones: a page that was opened before an upgrade, or came from a node of
//! another build, still gets what it has not loaded yet.

use super::engine::params;
use super::{Journal, JournalError, database::Durability};
use crate::clock::now;
use std::collections::HashSet;

/// Maximum number of files kept; those of builds that have not been used for longest are dropped.
const MOST: i64 = 50;

impl Journal {
    /// Keeps the files of a build by name, packed with gzip; returns the names of all that are kept. A name stands for one content
    /// for ever.
    pub async fn keep_site_files(
        &self,
        files: Vec<(String, Vec<u8>)>,
    ) -> Result<HashSet<String>, JournalError> {
        self.database
            .write(Durability::Ordinary, move |transaction| {
                let now = now();
                for (name, packed) in files {
                    let used = "UPDATE site_file SET used_at = ?2 WHERE name = ?1";
                    if transaction.execute(used, params![name, now])? == 0 {
                        transaction.execute(
                            "INSERT INTO site_file (name, packed, used_at) VALUES (?1, ?2, ?3)",
                            params![name, packed, now],
                        )?;
                    }
                }
                transaction.execute(
                    "DELETE FROM site_file WHERE name NOT IN
                       (SELECT name FROM site_file ORDER BY used_at DESC, name LIMIT ?1)",
                    [MOST],
                )?;
                transaction.values("SELECT name FROM site_file", [])
            })
            .await
    }

    /// A kept file, packed with gzip.
    pub async fn site_file(&self, name: &str) -> Result<Option<Vec<u8>>, JournalError> {
        let sql = "SELECT packed FROM site_file WHERE name = ?1";
        self.database
            .find(sql, [name.to_owned()], |row| row.get(0))
            .await
    }
}

#[cfg(test)]
mod tests {
    use crate::journal::tests::sample::journal_in;
    use tempfile::TempDir;

    #[tokio::test]
    async fn files_of_many_builds_are_kept_until_others_are_used() {
        let folder = TempDir::new().expect("a temporary folder");
        let journal = journal_in(folder.path()).await;
        for build in 0..30 {
            let files = ["js", "wasm"].map(|kind| (format!("{build:02}.{kind}"), vec![build]));
            journal
                .keep_site_files(files.into())
                .await
                .expect("healthy");
            tokio::time::sleep(std::time::Duration::from_millis(2)).await;
        }
        let kept = async |name: &str| journal.site_file(name).await.expect("healthy");
        assert_eq!(kept("04.wasm").await, None);
        assert_eq!(kept("05.wasm").await, Some(vec![5]));
        assert_eq!(kept("29.js").await, Some(vec![29]));

        let again = vec![("05.js".to_owned(), vec![])];
        journal.keep_site_files(again).await.expect("healthy");
        let other = vec![("30.js".to_owned(), vec![30])];
        journal.keep_site_files(other).await.expect("healthy");
        assert_eq!(kept("05.js").await, Some(vec![5]), "it is used");
        assert_eq!(kept("05.wasm").await, None);
    }
}
