//! Guarantees: there is always an owner, no right outlasts its revocation, and password guessing is throttled.

mod accounts;
mod authenticator;
mod guessing;
mod invitations;
mod links;
mod logins;
mod passkeys;
mod touching;

use super::throttle::Guesser;
use super::*;
use crate::journal::tests::sample::journal_in;
use tempfile::TempDir;

const PASSWORD: &str = "correct horse";
const FROM: &str = "192.0.2.1";

async fn people_in(folder: &TempDir) -> People {
    People::new(journal_in(folder.path()).await, folder.path())
}

async fn people() -> (People, TempDir) {
    let folder = TempDir::new().expect("a temporary folder");
    let people = people_in(&folder).await;
    let machine = Caller::at_the_machine();
    for role in Role::ALL {
        people
            .add(&machine, role.word(), role, PASSWORD)
            .await
            .expect("a new name");
    }
    (people, folder)
}

fn login<'a>(name: &'a str, password: &'a str) -> NewLogin<'a> {
    NewLogin {
        name,
        password,
        device: "a browser",
        known: "",
        address: FROM,
    }
}

async fn logged_in(people: &People, name: &str) -> (String, Caller) {
    let secret = people
        .log_in(login(name, PASSWORD))
        .await
        .expect("it is the password")
        .login;
    let caller = people.of_browser(&secret, FROM).await.expect("healthy");
    (secret, caller.expect("they have just logged in"))
}

async fn is_in(people: &People, secret: &str) -> bool {
    let caller = people.of_browser(secret, FROM).await;
    caller.expect("healthy").is_some()
}

async fn of_token(people: &People, token: &str) -> Option<Caller> {
    people.of_token(token, FROM).await.expect("healthy")
}
