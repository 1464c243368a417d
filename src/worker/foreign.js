// What others do to the page before the program begins: extensions of the browser, and its translation.
//
// Hydration walks over the nodes that the server has sent, and fails at any other. `watching` (`app.rs`) collects all changes
// from the end of the page's HTML on. They are undone for the moment of hydration, and elements are put back afterwards. What
// was done before, while the HTML arrived, cannot be told from it: a page that fails for that is hydrated from another copy.
// @ts-check
import { isTyped } from './dead.js';

/** @type {{ changes: MutationRecord[], observer: MutationObserver } | undefined} */
const { changes = [], observer } = /** @type {any} */ (self).watching ?? {};

/** Hydrates the page as the server has sent it. */
export function asSent(hydrate) {
  changes.push(...(observer?.takeRecords() ?? []));
  observer?.disconnect();
  const isText = ({ nodeType }) => nodeType === Node.TEXT_NODE;
  const added = changes.flatMap(({ target, addedNodes, removedNodes, nextSibling }) => {
    // What stands for a text is a translation of it.
    if ([...removedNodes].some(isText)) return [];
    const nodes = [...addedNodes].filter((node) => node.nodeType === Node.ELEMENT_NODE && node.parentNode === target);
    return nodes.map((node) => ({ target, node, nextSibling }));
  });
  for (const { type, target, addedNodes, removedNodes, nextSibling, oldValue } of [...changes].reverse()) {
    if (type === 'characterData') target.nodeValue = oldValue;
    for (const node of addedNodes) if (node.parentNode === target) target.removeChild(node);
    for (const node of removedNodes) target.insertBefore(node, nextSibling?.parentNode === target ? nextSibling : null);
  }
  hydrate();
  for (const { target, node, nextSibling } of added) target.insertBefore(node, nextSibling?.parentNode === target ? nextSibling : null);
}

/** Hydrates another copy of the page, which is here before others see it. Rejects without one. */
export async function anew(hydrate) {
  const answer = await fetch(location.href, { redirect: 'error', headers: { accept: 'text/html' } });
  const { documentElement: html, body } = new DOMParser().parseFromString(await answer.text(), 'text/html');
  if (!('base' in html.dataset)) throw new Error(`no page, status ${answer.status}`);
  if (isTyped()) throw new Error('something was typed meanwhile');
  observer?.disconnect();
  // What the program begins with. Scripts of a parsed document do not run.
  const { nonce } = /** @type {HTMLElement} */ (document.querySelector('script[nonce]'));
  for (const { textContent } of body.querySelectorAll('script')) {
    if (!textContent?.startsWith('__')) continue;
    const script = Object.assign(document.createElement('script'), { nonce, textContent });
    document.head.append(script);
    script.remove();
  }
  for (const { name, value } of html.attributes) document.documentElement.setAttribute(name, value);
  document.body.replaceChildren(...body.childNodes);
  hydrate();
}
