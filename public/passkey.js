// Forms that a passkey answers: asks the server what to ask, the browser for an answer, and sends the form with it.
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

async function get({ publicKey: asked }) {
  const publicKey = { ...asked, challenge: bytes(asked.challenge), allowCredentials: ids(asked.allowCredentials) };
  const { id, rawId, type, response } = await navigator.credentials.get({ publicKey });
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
