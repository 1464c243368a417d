//! Files and changes of a conversation's workspace, through its agent-server.

use super::AppServer;
use crate::backend::{
    Answer, ChangedFile, ChangedText, FileText, Microagent, Upload, WorkspaceApi,
};
use async_trait::async_trait;
use reqwest::Response;

#[async_trait]
impl WorkspaceApi for AppServer {
    async fn list_files(&self, id: &str, directory: &str) -> Answer<Vec<String>> {
        self.agent(id).await?.list_files(id, directory).await
    }

    async fn read_file(&self, id: &str, path: &str) -> Answer<FileText> {
        self.agent(id).await?.read_file(id, path).await
    }

    async fn upload(&self, id: &str, files: Vec<Upload>) -> Answer<Vec<String>> {
        self.agent(id).await?.upload(id, files).await
    }

    async fn archive(&self, id: &str) -> Answer<Response> {
        self.agent(id).await?.archive(id).await
    }

    async fn changes(&self, id: &str, commit: Option<&str>) -> Answer<Vec<ChangedFile>> {
        self.agent(id).await?.changes(id, commit).await
    }

    async fn change(&self, id: &str, commit: Option<&str>, path: &str) -> Answer<ChangedText> {
        self.agent(id).await?.change(id, commit, path).await
    }

    async fn microagents(&self, id: &str) -> Answer<Vec<Microagent>> {
        self.agent(id).await?.microagents(id).await
    }
}
