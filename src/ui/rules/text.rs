//! The texts of rules.

crate::text::texts! {
    // Both pages.
    in_conversation = "in one conversation";
    in_own = "in conversations of its maker";
    in_repository(name) = "in {name}";
    in_all = "in all conversations";
    allow(what) = "Allow {what}";

    // book.rs
    rules = "Rules";
    loading = "Loading rules…";
    about = "A rule approves actions without asking. To create one, choose “Always allow…” in a pending approval.";
    none = "No rules";
    none_text = "Every pending action is decided by a person.";
    stop_all = "Stop all rules";
    stopped = "All rules are stopped. People are asked about everything.";
    stopped_for_owner = "Rules can be resumed by an owner.";
    resume = "Resume rules";
    resumed = "Rules resumed";
    made_by(name) = "created by {name} ";
    made = "created ";
    ends = ", ends ";
    no_end = ", no end date";
    never_used = "Has not answered yet";
    used(count) = { one: "Answered once, ", other: "Answered {count} times, last " };
    expired = "Expired";
    right_lost = "Ended: its creator may no longer approve";
    ended_by(name) = "Ended by {name}";
    end = "End";
    end_rule(number) = "End rule {number}";
    ended = "Rule ended";
    open_conversation = "Open conversation";

    // make.rs
    always_allow = "Always allow";
    choices_loading = "Comparing with the last 90 days…";
    hint = "From the next action on, a rule approves what matches without asking. A command runs what the agent has written: allow edits and tests together only where the sandbox protects you.";
    pending_stays = "The pending action is not approved by this. Decide it afterwards.";
    which = "What to allow";
    where_title = "Where";
    this_conversation = "This conversation";
    own_conversations = "My conversations";
    all_conversations = "All conversations";
    would(answered, asked, days) = "Would have answered {answered} of {asked} questions of the last {days} days";
    of_them_unrated(count) = ", {count} of them unrated";
    of_them_medium(count) = ", {count} of them rated medium";
    rejected(count) = { one: "A person rejected 1 of these:", other: "People rejected {count} of these:" };
    and_more(count) = { one: "and 1 more", other: "and {count} more" };
    behind = "Older questions are still being read.";
    conditions = "Limits";
    highest = "Highest risk";
    low = "Low";
    medium = "Medium";
    high = "High";
    unrated = "Also actions without a risk rating";
    days = "Ends";
    in_a_day = "After 1 day";
    in_a_week = "After 7 days";
    in_a_month = "After 30 days";
    in_a_quarter = "After 90 days";
    without_end = "Never";
    create = "Create rule";
    created = "Rule created";
    all_rules = "All rules";
}
