//! Who sees what was spent.
//!
//! The dialect of the backend does not matter for who sees the sums. `insight.rs` checks the sums themselves for both.

use super::house::House;
use handrail::live::{InsightView, OverallView};
use std::time::Duration;

/// What a person sees over all conversations, as soon as `is_there` accepts it.
async fn overall(house: &House, cookie: &str, is_there: impl Fn(&str) -> bool) -> OverallView {
    let seen = async {
        loop {
            let answer = house
                .call(
                    "read_overall",
                    cookie,
                    &[("days", "30"), ("chart", "person")],
                )
                .await;
            let view: OverallView = answer.json().await.expect("it is a view");
            if is_there(&view.html) {
                return view;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    let seen = tokio::time::timeout(crate::tab::LONG, seen).await;
    seen.expect("it is summed up")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn costs_are_seen_by_their_creator_and_by_owners() {
    let house = House::new().await;
    let owner = house.log_in("owner").await;
    let operator = house.log_in("operator").await;
    let approver = house.log_in("approver").await;
    let id = house
        .create_conversation(&operator, "[[scenario:hello]]")
        .await;
    let named = |html: &str| html.contains(&id);

    let own = overall(&house, &operator, named).await;
    assert!(!own.everybody);
    let all = overall(&house, &owner, named).await;
    assert!(all.everybody && all.html.contains("operator"));
    // Everyone may see the conversation, but its costs are not the approver's.
    let other = overall(&house, &approver, |_| true).await;
    assert!(!other.everybody && !named(&other.html), "{}", other.html);

    let insight = async |cookie: &str| house.call("read_insight", cookie, &[("id", &id)]).await;
    let view: InsightView = insight(&approver).await.json().await.expect("it is a view");
    assert!(view.html.contains("<svg"), "{}", view.html);
    let fields = [("id", id.as_str()), ("audience", "starter")];
    let shared = house.call("share_conversation", &operator, &fields).await;
    assert_eq!(shared.status(), 200);
    assert_eq!(insight(&approver).await.status(), 404);
    assert_eq!(insight(&owner).await.status(), 200);
    let page = house.page(&format!("/c/{id}/insight"), &approver).await;
    assert_eq!(page.status(), 404);
}
