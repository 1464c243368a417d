//! The texts of the pages about time and cost, and of an agent that may be stuck.

crate::text::texts! {
    // mod.rs: what an agent that may be stuck does.
    stuck_repetition(times, subject) = "The agent may be stuck: it repeated {subject} {times} times with the same result.";
    stuck_errors(times, subject) = "The agent may be stuck: it repeated {subject} {times} times with an error.";
    stuck_monologue(times) = "The agent may be stuck: it wrote {times} messages without doing anything.";
    stuck_alternation(times, subject) = "The agent may be stuck: its last {times} steps alternate between two, one of them {subject}.";
    stuck_no_change(times, subject) = "The agent may be stuck: its last {times} steps brought nothing new while the cost rose. The newest is {subject}.";
    stuck_silence(minutes) = "The agent may be stuck: no event for {minutes} minutes while it is running.";
    same_step = "the same step";

    // Several files: quantities.
    millis(millis) = "{millis} ms";
    tenths(seconds, tenths) = "{seconds}.{tenths} s";
    seconds(seconds) = "{seconds} s";
    minutes(minutes, seconds) = "{minutes} min {seconds} s";
    hours(hours, minutes) = "{hours} h {minutes} min";
    percent(number) = "{number}%";

    // Several files: headings.
    cost = "Cost";
    cached = "From cache";
    tokens = "Tokens";
    input_tokens = "Input tokens";
    output_tokens = "Output tokens";
    total = "Total";
    table = "Table";

    // conversation.rs
    summary = "Summary";
    steps = "Steps";
    model_time = "Model";
    tool_time = "Tools";
    person_time = "Waiting for a person";
    outside = "Outside of steps";
    outside_of(cost, tokens) = "{cost}, {tokens} tokens (titles, condensations, questions beside)";
    nothing_yet = "Nothing to show yet: the agent has not taken a step.";
    shown_of(shown, all) = "The newest {shown} of {all} steps are shown one by one. The sums include all.";
    waiting_hint = "A step that took four times as long is drawn twice as high. Waiting is the time that an action needed approval. Time between two tasks is not counted.";

    slowest(number, time) = "Slowest: step {number}, {time}";
    dearest(number, cost) = "Most expensive: step {number}, {cost}";
    waiting_now = "now";
    waited_and_now(time) = "{time}, and now";
    longest_wait(number, time) = "Longest wait: step {number}, {time}";
    failed(count) = { one: "1 failed step", other: "{count} failed steps" };
    repeated(count) = { one: "1 repeated step", other: "{count} repeated steps" };

    time_by_step = "Time by step";
    cost_by_step = "Cost by step";
    tokens_by_step = "Tokens by step";
    time_plot(steps, model, tool, person) = "Bars for {steps} steps. Model {model}, tools {tool}, waiting for a person {person}.";
    amount_plot(steps, amount) = "A bar for each of {steps} steps, {amount} in total.";
    bar(number, subject, value) = "{number}. {subject}: {value}";
    steps_table = "All steps that are shown";
    number = "Step";
    what = "What";
    sum = "Sum";
    failed_mark = "failed";
    repeated_mark = "repeated";

    files = "Most edited files";
    file = "File";
    edits = "Edits";
    no_edits = "No file was edited.";
    commands = "Commands that failed most";
    command = "Command";
    runs = "Runs";
    failures = "Failures";
    no_failures = "No command failed.";
    more_names = "Only the most frequent names are counted.";

    message = "Message";
    step = "Step";

    // overall.rs
    chart = "Chart";
    by_day = "By day";
    day_plot(days, amount) = "A bar for each of {days} days, {amount} in total.";
    day = "Day (UTC)";
    by_model = "By model";
    model = "Model";
    unknown_model = "Unknown model";
    by_person = "By creator";
    person = "Creator";
    unknown_person = "Unknown creator";
    by_conversation = "By conversation";
    conversation = "Conversation";
    untitled = "Untitled conversation";
    most_of(shown, all) = "The {shown} most expensive of {all} conversations are listed. The sums include all.";
    not_highest = "Most conversations worked before this period, too, and not all could be compared: one that is not listed may belong here.";
    not_whole = "There is more than Handrail sums up at once: the oldest days are missing. Select fewer days.";
    nothing_spent = "No cost and no tokens in this period.";
    deleted_hint = "Deleted conversations are not included. What a conversation spent before Handrail summed it up by day counts for the day of its last change.";
}
