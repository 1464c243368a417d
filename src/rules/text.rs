//! The texts of rules.

crate::text::texts! {
    // Why a rule cannot be made.
    no_rating = "Choose the highest risk that the rule may answer.";
    high_is_for_owners = "Only an owner can make a rule for actions rated high risk.";
    high_is_exact = "A rule for actions rated high risk must name the exact command.";
    rated_is_rated = "A rule by risk alone cannot answer actions without a rating.";
    commands_out_of_bounds = "A rule names 1 to 16 commands of at most 40 words each.";
    no_folder = "Enter the absolute path of a folder, without “..” and outside of “.git”.";
    no_tool = "Enter the name of a tool.";
    runs_others = "No rule can answer shells and programs that run other commands, such as sudo or xargs.";
    needs_exact_words = "This program takes commands or code as its arguments: the rule must name all of them.";

    // What a rule is about.
    exactly(command) = "exactly “{command}”";
    with_names(command) = "“{command}” and names of files in the working directory, no options";
    with_anything(command) = "“{command}” with any arguments";
    edits(folder) = "changes to files below {folder}";
    reads(folder) = "reading files below {folder}";
    tool(name) = "the tool {name}";
    rated = "every action that rules can judge";
    and = " and ";

    // Ratings.
    up_to_low = "low risk";
    up_to_medium = "up to medium risk";
    up_to_high = "up to high risk";
    or_unrated = " or unrated";

    // Why no rule can answer an action.
    kind = "Rules cannot answer this kind of action.";
    not_held = "Rules cannot answer this: OpenHands carries it out before the answer.";
    hidden = "Rules cannot answer this: it has characters or changes that cannot be seen.";
    too_long = "Rules cannot answer this: it is too long.";
    argument = "Rules cannot answer this: it has further arguments.";
    input = "Rules cannot answer input for a running program.";
    shell = "Rules answer plain commands only: no redirection, variable, substitution, wildcard or “;”.";
    path = "Rules answer absolute paths only.";
    differs = "Rules cannot answer this: the pending action differs from the timeline.";
}
