//! Deputies are told of what nobody answers, as of what is their own, once.

use super::Home;
use crate::both::on_both;
use crate::stage::soon;
use handrail::backend::rehearsal::Dialect;
use handrail::live::{Decision, NewEscalation, Scope};
use handrail::people::{Credential, Role};
use std::time::Duration;

on_both![a_deputy_is_told_once_and_again_when_it_is_over];

async fn a_deputy_is_told_once_and_again_when_it_is_over(dialect: Dialect) {
    let home = Home::new(dialect, |_| ()).await;
    let olga = home.person("olga", Role::Owner).await;
    let ada = home.person("ada", Role::Operator).await;
    let mine = |choices: &mut handrail::live::Choices| choices.scope = Scope::Mine;
    let (own, _) = home.choosing(&ada, "ada-phone", mine).await;
    let bea = home.person("bea", Role::Approver).await;
    let (deputy, channel) = home.choosing(&bea, "bea-phone", mine).await;
    let cyd = home.person("cyd", Role::Approver).await;
    let (other, _) = home.choosing(&cyd, "cyd-phone", mine).await;
    let setting = NewEscalation {
        deputies: "bea".to_owned(),
        tell_after: "5".to_owned(),
        ..NewEscalation::default()
    };
    let saved = home.hub.policies.deputies.save(&olga, setting).await;
    saved.expect("it can be set");
    let id = home.create_conversation(&ada, "confirm").await;
    home.pending(&id, "").await;
    home.messages(&own, 1).await;
    assert!(
        deputy.messages(&home.service).is_empty(),
        "it is not hers yet"
    );
    let pass = async |minutes: i64| {
        let moved = home.journal.shift_waits(-minutes * 60_000).await;
        moved.expect("healthy");
    };
    pass(5).await;
    let told = home.messages(&deputy, 1).await.remove(0);
    let body = told["notification"]["body"].as_str().expect("a text");
    assert!(
        body.starts_with("Needs approval, passed to you: nobody has answered"),
        "{body}"
    );
    // Neither those who know, nor anybody else, nor she again after a restart, once that is stored.
    let Credential::Login(login) = bea.credential else {
        panic!("she has logged in");
    };
    let token = told["notification"]["data"]["token"].as_str();
    let token = token.expect("it is of an approval");
    let is_stored = async || {
        let place = (bea.person, Some(login), channel);
        let sent = home.journal.sent_notice(place, &id, token).await;
        sent.expect("a healthy journal")
    };
    soon("the journal says that it was sent", is_stored).await;
    let home = home.restarted(|_| ()).await;
    tokio::time::sleep(Duration::from_secs(3)).await;
    let count = |phone: &super::Phone| phone.messages(&home.service).len();
    assert_eq!((count(&own), count(&deputy), count(&other)), (1, 1, 0));
    home.decide(&id, token, Decision::Reject).await;
    for phone in [&own, &deputy] {
        let over = home.messages(phone, 2).await.remove(1);
        assert_eq!(over["notification"]["body"], "No longer needs approval");
    }
}
