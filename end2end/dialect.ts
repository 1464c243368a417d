// The dialect of the rehearsal, and all differences that a user notices because of it: the specs ask here, and are
// equally strict with both. HANDRAIL_REHEARSAL chooses the dialect, for the tests and for the program, which inherits
// the variable.

const CHOSEN = process.env.HANDRAIL_REHEARSAL || '0.x';
if (!['0.x', '1.x', 'app'].includes(CHOSEN)) throw new Error(`HANDRAIL_REHEARSAL is ${CHOSEN}: it is 0.x, 1.x or app`);

/** An app server: its conversations are those of 1.x, each in a sandbox. */
export const IS_APP = CHOSEN === 'app';

/** OpenHands 0.62, or an agent-server 1.x. */
export const DIALECT = CHOSEN === '0.x' ? '0.x' : '1.x';

const IS_1X = DIALECT === '1.x';

/** Capabilities that only one of the two has. */
export const CAN = {
  /** Each conversation has a sandbox that can be stopped and started. */
  shutDown: !IS_1X || IS_APP,
  /** The rehearsal can let a start fail on demand, which leaves a conversation behind. */
  failToStart: !IS_1X,
  /** Edits and reads wait for approval; 0.62 executes them before. */
  holdEdits: IS_1X,
  /** Resume is enough for a paused agent; in 0.62 it needs a message, too. */
  resume: IS_1X,
  /** A rejection with a reason is also a message, after which the agent continues; in 1.x it must be resumed. */
  goOnAfterNo: !IS_1X,
  /** A conversation starts in a folder of the backend's machine; in 0.62 it starts with a repository. */
  chooseFolder: IS_1X && !IS_APP,
  /** An uploaded file keeps its bytes; 0.62 decodes it as text. Only what keeps them is downloaded by itself. */
  keepBytes: IS_1X,
  /** The settings contain a cost limit and the author of commits. */
  limitCost: !IS_1X,
  signCommits: !IS_1X,
};

/** Names of the agent's states (the colours of their badges). */
export const STATUS = {
  /** The agent has replied and it is the user's turn. */
  turn: IS_1X ? 'finished' : 'idle',
  /** Stopped while working. */
  stopped: IS_1X ? 'paused' : 'stopped',
  /** Stopped while an approval was pending. */
  stoppedWaiting: IS_1X ? 'idle' : 'stopped',
} as const;

/** Error messages. `row` is on the timeline, `badge` in the header. */
export const TROUBLE = {
  error500: IS_1X ? 'The model is unavailable' : 'The model failed',
  /** A state of its own in 0.x, a plain error in 1.x. */
  busy: IS_1X ? { badge: 'Failed', row: 'Too many requests to the model' } : { badge: 'Rate limited', row: undefined },
  /** With a reason in 0.x; in 1.x only the state. */
  stuck: IS_1X ? { badge: 'Stuck', row: undefined } : { badge: 'Failed', row: 'Agent got stuck in a loop' },
  /** The step limit, reached for the first and for the second time. */
  limits: ['The agent has reached its limit of 4 steps', `The agent has reached its limit of ${IS_1X ? 4 : 8} steps`],
  /** The backend has restarted and lost events. */
  forgotten: IS_1X ? 'OpenHands has lost part of this conversation.' : 'Sandbox stopped. You can still read the conversation.',
};

/** The product name that the backend reports in a connection test. */
export const PRODUCT = IS_APP ? 'OpenHands app server 1.11' : IS_1X ? 'OpenHands agent-server 1.58' : 'OpenHands. It answered';

/** What the page says about a conversation whose sandbox was stopped, and the button that starts it. */
export const DOWN = IS_APP
  ? { says: 'Sandbox paused.', start: 'Resume sandbox' }
  : { says: 'Sandbox stopped. You can still read the conversation.', start: 'Start' };

/** Media type of a downloaded workspace archive. */
export const ARCHIVE = IS_1X ? 'application/gzip' : 'application/zip';

/** Heading of a step that runs Python: 1.x has no tool for it except the shell. */
export const cell = (code: string): string => (IS_1X ? `python3 - <<'EOF' ${code} EOF` : code);

/** Heading of the card that asks for its approval. */
export const CELL_TITLE = IS_1X ? 'Run this command?' : 'Run this code?';

/** Path of a file in the workspace: in 1.x each conversation has a folder of its own. */
export const inWorkspace = (name: string, conversation: string): string => (IS_1X ? `/workspace/conversations/${conversation}/${name}` : `/workspace/${name}`);

/** The same path in a step's heading, where long paths are shortened. */
export const file = (name: string): string => (IS_1X ? `…/${name}` : `/workspace/${name}`);

/** The beginning of the reason why a start with a repository fails without its Git provider. */
export const NO_PROVIDER = IS_APP ? 'For a repository, its Git provider must be set up' : 'Unable to access repo acme/tools';

/** Why no answer is sent to an agent that is cut off. A sandbox that is there answers with an error. */
export const CUT_OFF = IS_APP ? 'Nothing was sent.' : 'Nothing was sent: disconnected from OpenHands.';

/** Part of the URL of the backend's file listing. */
export const LISTING = IS_1X ? 'execute_bash_command' : 'list-files';

/** Number of stored events per step of the scenario `long`. */
export const EVENTS_OF_A_STEP = IS_1X ? 4 : 2;
