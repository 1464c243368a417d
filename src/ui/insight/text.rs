//! The texts of the pages about time and cost. Those of their plots and tables are in `render/insight/text.rs`.

crate::text::texts! {
    back = "‹ Back to the conversation";
    loading = "Adding up…";
    over_all = "All conversations";
    everybody = "All conversations of all people.";
    own = "The conversations that you created.";
    period = "Period";
    days(days) = "{days} days";
}
