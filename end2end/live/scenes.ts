// Commands and messages of the two scripted models in the scenes that both have: the same tests run with either.
import { IS_AGENT_SERVER, scene } from './real.ts';

/** All tools, one after the other. */
export const TOUR = IS_AGENT_SERVER
  ? {
      name: 'tour',
      last: 'I made hello.py',
      rests: 'finished',
      failed: ['ls /no/such/dir', 'exit 3'],
      edit: 'Good day, {name}!',
      file: 'hello.py',
      line: 'def greet(name):',
      printed: 'tick 4',
      tasksDone: 1,
      changed: ['base.txt', 'four'],
    } as const
  : {
      name: 'full',
      last: 'Shall I finish?',
      rests: 'idle',
      failed: ['cat: /does/not/exist', 'exit 7'],
      edit: 'return a + b',
      file: 'app.py',
      line: 'return a + b',
      printed: 'woke up',
      tasksDone: 3,
      changed: ['app.py', '# more'],
    } as const;

/** Work that takes a while: parts of it that are shown, and the agent's state once it is stopped. */
export const LONG_WORK = IS_AGENT_SERVER
  ? ({ seen: ['echo step 5; sleep 1.5', 'echo step 9; sleep 1.5'], stopped: 'paused' } as const)
  : ({ seen: ['slow step 2', 'slow step 4'], stopped: 'stopped' } as const);

/** Three commands that need approval, and the final message. */
export const QUESTIONS = IS_AGENT_SERVER
  ? { asks: ['echo harmless', 'rm -rf ./build_dir_that_is_not_there', 'echo instead'], more: ['echo a > a.txt'], last: 'Confirmed work is finished.' }
  : { asks: ['echo "confirm me"', 'echo "reject me" > rejected.txt', 'echo "third"'], more: [], last: 'Done with confirmations.' };

/** The model's greeting. */
export const GREETING = /Hello! I am the (scripted|fake) agent/;

/** Failures of a model: the scene, the error shown, the next message, and the reply that shows that the agent continues. */
export const FAILURES = IS_AGENT_SERVER
  ? [
      { name: 'err401', says: 'The model rejected the API key', send: () => `Again ${scene('hello')}`, then: GREETING },
      { name: 'err400', says: 'Unsupported parameter', send: () => `Again ${scene('hello')}`, then: GREETING },
    ]
  : [
      { name: 'error401', says: 'The model rejected the API key', send: () => 'Try again', then: /Recovered\./ },
      { name: 'error400', says: 'Invalid value for temperature', send: () => 'Try again', then: /Recovered\./ },
    ];

/** A prompt that is too long for the model, and is retried after condensation. */
export const TOO_LONG = IS_AGENT_SERVER
  ? { name: 'errctx', last: 'Went on after condensation.' }
  : { name: 'error_ctx', last: 'Recovered after condensation.' };

/** A model with a rate limit: once, and permanently. The errors shown, and the agent's state after a greeting. */
export const STEP_LIMIT = IS_AGENT_SERVER
  ? ({ once: 'err429', more: () => 'Far too often', recovered: 'Recovered after one 429.', badge: 'Failed', rests: 'finished' } as const)
  : ({ once: 'error429_once', more: () => `Far too often ${scene('error429')}`, recovered: 'Recovered after one retry.', badge: 'Rate limited', rests: 'idle' } as const);
