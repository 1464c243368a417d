// The two sizes of a run: each promise once, or with all repetitions.

/** Whether the repetitions run, too: in every state, size and theme, and as long as they can (`cargo xtask test --all`). */
export const ALL = Boolean(process.env.HANDRAIL_ALL);
