// Which server the rehearsal stands in for, and all that a person meets differently because of it: the specs ask here, and
// are as strict with both. HANDRAIL_REHEARSAL chooses, as for the program, which inherits it.

/** OpenHands 0.62, or an agent-server 1.x. */
export const DIALECT = process.env.HANDRAIL_REHEARSAL || '0.x';
if (!['0.x', '1.x'].includes(DIALECT)) throw new Error(`HANDRAIL_REHEARSAL is ${DIALECT}: it is 0.x or 1.x`);

const IS_1X = DIALECT === '1.x';

/** What only one of the two can do. */
export const CAN = {
  /** Each conversation has a runtime that is shut down and started. */
  shutDown: !IS_1X,
  /** Edits and reads wait for the answer; 0.62 carries them out before. */
  holdEdits: IS_1X,
  /** "Go on" is enough for a paused agent; in 0.62 it needs a word. */
  resume: IS_1X,
  /** A no with a reason is also a word, on which the agent goes on; in 1.x somebody has to want that. */
  goOnAfterNo: !IS_1X,
  /** The settings hold a limit of money, and who makes the commits. */
  limitCost: !IS_1X,
  signCommits: !IS_1X,
};

/** What the agent's states are called (the colours of their badges). */
export const STATUS = {
  /** It has said something and it is a person's turn. */
  turn: IS_1X ? 'finished' : 'idle',
  /** It was stopped in the middle of its work. */
  stopped: IS_1X ? 'paused' : 'stopped',
  /** It was stopped while something waited. */
  stoppedWaiting: IS_1X ? 'idle' : 'stopped',
} as const;

/** What is said about trouble. `row` is of the timeline, `badge` of the head. */
export const TROUBLE = {
  error500: IS_1X ? 'The model is not available' : 'The model failed',
  /** A state of its own, or an error like others. */
  busy: IS_1X ? { badge: 'Error', row: 'The model has had too many requests' } : { badge: 'Rate limited', row: undefined },
  /** With a reason in 0.x, in 1.x by the state alone. */
  stuck: IS_1X ? { badge: 'Stuck', row: undefined } : { badge: 'Error', row: 'Agent got stuck in a loop' },
  /** The limit of steps, met for the first and for the second time. */
  limits: IS_1X
    ? ['The agent has used up all its steps', 'The agent has used up all its steps']
    : ['Current iteration: 4, max iteration: 4', 'Current iteration: 8, max iteration: 8'],
  /** The backend was restarted and has forgotten events. */
  forgotten: IS_1X ? 'The backend has lost part of this conversation.' : 'The runtime is down. The history is all here.',
};

/** What the backend calls itself when it is tried out. */
export const PRODUCT = IS_1X ? 'OpenHands agent-server 1.58' : 'OpenHands 0.x';

/** Media type of a workspace in one file. */
export const ARCHIVE = IS_1X ? 'application/gzip' : 'application/zip';

/** Head line of a step that runs Python: 1.x has no tool for it but the shell. */
export const cell = (code: string): string => (IS_1X ? `python3 - <<'EOF' ${code} EOF` : code);

/** Verb of such a step. */
export const CELL = IS_1X ? 'Run' : 'Python';

/** Path of a file of the workspace: in 1.x each conversation has a folder of its own. */
export const inWorkspace = (name: string, conversation: string): string => (IS_1X ? `/workspace/conversations/${conversation}/${name}` : `/workspace/${name}`);

/** The same in the head line of a step, where long ones are shortened. */
export const file = (name: string): string => (IS_1X ? `…/${name}` : `/workspace/${name}`);

/** Part of the address by which the backend is asked for a listing of files. */
export const LISTING = IS_1X ? 'execute_bash_command' : 'list-files';

/** Stored events of one step of the scenario `long`. */
export const EVENTS_OF_A_STEP = IS_1X ? 4 : 2;
