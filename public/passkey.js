// Forms that a passkey answers: asks the server what to ask, the browser for an answer, and sends the form with it. Those that
// log in or register are there from the beginning; an approval that needs a touch comes and goes (`ui/approval/touch.rs`).
const bytes = (text) => Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (letter) => letter.charCodeAt(0));
const text = (buffer) =>
  btoa(String.fromCharCode(...new Uint8Array(buffer))).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');

// The ids of passkeys, as the browser takes them.
const ids = (all) => all?.map((one) => ({ ...one, id: bytes(one.id) }));

async function create({ publicKey: asked }) {
  const user = { ...asked.user, id: bytes(asked.user.id) };
  const publicKey = { ...asked, user, challenge: bytes(asked.challenge), excludeCredentials: ids(asked.excludeCredentials) };
  const { id, rawId, type, response } = await navigator.credentials.create({ publicKey });
  const { attestationObject, clientDataJSON } = response;
  return { id, rawId: text(rawId), type, response: { attestationObject: text(attestationObject), clientDataJSON: text(clientDataJSON) } };
}

async function get({ publicKey: asked }, signal) {
  const publicKey = { ...asked, challenge: bytes(asked.challenge), allowCredentials: ids(asked.allowCredentials) };
  const { id, rawId, type, response } = await navigator.credentials.get({ publicKey, signal });
  const { authenticatorData, clientDataJSON, signature, userHandle } = response;
  return {
    id, rawId: text(rawId), type,
    response: {
      authenticatorData: text(authenticatorData), clientDataJSON: text(clientDataJSON), signature: text(signature),
      userHandle: userHandle && text(userHandle),
    },
  };
}

async function answer(form, failed) {
  const button = form.querySelector('button');
  button.setAttribute('aria-busy', 'true');
  failed.hidden = true;
  try {
    const sent = await fetch(form.dataset.options, { method: 'POST', body: new URLSearchParams(new FormData(form)) });
    const asked = await sent.json();
    if (!sent.ok) throw new Error(asked.text);
    form.elements.answer.value = JSON.stringify(await (form.dataset.passkey === 'create' ? create : get)(asked));
    form.submit();
  } catch (error) {
    // Browsers do not say why: the person may have closed the dialog, or has no such passkey.
    const own = { NotAllowedError: failed.dataset.refused, InvalidStateError: failed.dataset.known }[error.name];
    failed.textContent = own ?? (error.name === 'Error' ? error.message : failed.dataset.refused);
    failed.hidden = false;
    button.removeAttribute('aria-busy');
  }
}

for (const form of document.querySelectorAll('form[data-passkey]')) {
  const failed = form.querySelector('[data-refused]');
  if (!window.PublicKeyCredential) {
    document.querySelector('[data-no-passkeys]').hidden = false;
    continue;
  }
  form.hidden = false;
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    answer(form, failed);
  });
}

// ---- Approvals.

/** How often it is looked whether the form of an open dialog is still what it was, in milliseconds. */
const PAUSE = 250;
/** Whether a dialog is open: a second press of the button opens no other one. */
let touching = false;

async function touch(form, button) {
  const { id, token, text: words, touch: field } = form.elements;
  const own = form.querySelector('[data-touch-says]');
  // The card may be another one by now.
  const say = (word, what = own.dataset[word] ?? '') => {
    const place = own.isConnected ? own : document.querySelector('[data-touch-says]');
    if (place) Object.assign(place, { textContent: what, hidden: what === '' });
  };
  const fields = () => new URLSearchParams({ id: id.value, token: token.value, text: words?.value ?? '' });
  const asks = fields();
  const isSame = () => form.isConnected && `${fields()}` === `${asks}`;
  const dialog = new AbortController();
  const watching = setInterval(() => isSame() || dialog.abort(), PAUSE);
  touching = true;
  button.setAttribute('aria-busy', 'true');
  say();
  try {
    const sent = await fetch(field.dataset.asks, { method: 'POST', headers: { Accept: 'application/json' }, body: asks });
    const told = await sent.json();
    if (!sent.ok) throw Object.assign(new Error(told.text), { isTold: true });
    const { publicKey, asked } = JSON.parse(told);
    const answer = await get({ publicKey }, dialog.signal);
    if (!isSame()) return say('changed');
    field.value = JSON.stringify({ asked, answer });
    form.requestSubmit(button);
  } catch (error) {
    // Browsers do not say why a dialog was refused: the person may have closed it, or it took too long.
    if (error.isTold) say('', error.message);
    else if (dialog.signal.aborted) say('changed');
    else say({ NotAllowedError: 'refused', SecurityError: 'none', NotSupportedError: 'none' }[error.name] ?? 'failed');
  } finally {
    clearInterval(watching);
    touching = false;
    button.removeAttribute('aria-busy');
    // It is good once. A form that leaves the page has been read by then.
    setTimeout(() => (field.value = ''));
  }
}

document.addEventListener('submit', (event) => {
  const { target: form, submitter: button } = event;
  if (!button?.matches('[data-touch]') || form.elements.touch.value !== '') return;
  event.preventDefault();
  if (touching) return;
  const says = form.querySelector('[data-touch-says]');
  if (window.PublicKeyCredential) touch(form, button);
  else Object.assign(says, { textContent: says.dataset.none, hidden: false });
}, true);
