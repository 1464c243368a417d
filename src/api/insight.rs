//! Where the time and the money went.

use super::answer::Answer;
use super::{ApiError, InsightView, OverallView};
use leptos::prelude::*;

#[cfg(feature = "ssr")]
use super::serve::{Allowed, allowed, allowed_in, with_status};
#[cfg(feature = "ssr")]
use crate::{conversation::Measure, people::Right, render::SpentBy};

/// Most days that are summed up.
#[cfg(feature = "ssr")]
const MOST_DAYS: u32 = 366;

/// Time, cost and tokens of a conversation.
#[server(output = Answer)]
pub async fn read_insight(id: String) -> Result<InsightView, ApiError> {
    let Allowed { hub, .. } = allowed_in(Right::Read, &id)?;
    hub.insights.insight(&id).await.map_err(with_status)
}

/// Cost and tokens of the last `days` days: of all conversations for owners, for others of their own. `chart` is what the
/// chart shows (`day`, `model`, `person`), and `sort` what tables are sorted by (`cost`, `input`, `output`, `cached`);
/// other words count as the first.
#[server(output = Answer)]
pub async fn read_overall(
    days: u32,
    #[server(default)] chart: String,
    #[server(default)] sort: String,
) -> Result<OverallView, ApiError> {
    let Allowed { hub, by } = allowed(Right::Read)?;
    let (chart, sort) = (SpentBy::named(&chart), Measure::named(&sort));
    Ok(hub
        .insights
        .overall(&by, days.clamp(1, MOST_DAYS), chart, sort)
        .await?)
}
