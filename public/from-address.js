// Takes what stands behind the # of the address, which is sent to nobody, into the field that waits for it.
const field = document.querySelector('[data-from-address]');
const code = decodeURIComponent(location.hash.slice(1));
if (field && code) {
  // Out of the address, and out of the history.
  history.replaceState(null, '', location.pathname + location.search);
  field.value = code;
  if (field.form.hasAttribute('data-send')) field.form.requestSubmit();
}
