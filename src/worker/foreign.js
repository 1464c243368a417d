// What others do to the page before the program begins: extensions of the browser, and its translation.
//
// Hydration walks over the nodes that the server has sent, and fails at any other. `watching` (`app.rs`) collects all changes
// of the page from its first element on. Those of others are undone for the moment of hydration, and elements are put back
// afterwards.
// @ts-check

/** @type {{ changes: MutationRecord[], end: number, observer: MutationObserver } | undefined} */
const { changes = [], end = 0, observer } = /** @type {any} */ (self).watching ?? {};

const isText = ({ nodeType }) => nodeType === Node.TEXT_NODE;

/**
 * Whether the parser cannot have put this node into the page, because of what it is. `known`: all that came by itself;
 * `filled`: what was not empty. Empty elements of ours have a class, or an id.
 */
function isStrange(node, known, filled) {
  if (!(node instanceof HTMLElement)) return false;
  if (node.localName.includes('-') || [...node.childNodes].some((child) => !known.has(child))) return true;
  const isEmpty = !filled.has(node) && ['div', 'span'].includes(node.localName);
  return isEmpty && !node.hasAttribute('class') && (!node.id || node.parentNode === document.body);
}

/**
 * The changes that others have made to what the server has sent. The parser only appends, to an element that is not closed
 * yet: a page that is still arriving has its changes, too.
 */
function foreign() {
  const known = new Set(changes.flatMap(({ addedNodes }) => [...addedNodes]));
  const filled = new Set(changes.flatMap(({ target, addedNodes }) => (addedNodes.length > 0 ? [target] : [])));
  const main = document.querySelector('main');
  // A browser that reports whole parts of a page says nothing about who has made them.
  if (!main?.firstChild || !known.has(main.firstChild)) return changes.slice(end).filter(({ target }) => document.body.contains(target));
  /** @type {Set<Node>} */
  const sent = new Set([document.body]);
  /** @type {Node[]} */
  const open = [document.body];
  return changes.filter(({ type, target, addedNodes, removedNodes, nextSibling, oldValue }, at) => {
    // The inside of what others have put there.
    if (!sent.has(target)) return false;
    if (at >= end) return true;
    if (type === 'characterData') {
      const next = changes.find((later, place) => place > at && later.type === type && later.target === target);
      return !(next?.oldValue ?? target.nodeValue ?? '').startsWith(oldValue ?? '');
    }
    const nodes = [...addedNodes];
    if (removedNodes.length > 0 || nextSibling || !open.includes(target) || nodes.some((node) => isStrange(node, known, filled))) return true;
    open.length = open.indexOf(target) + 1;
    open.push(...nodes);
    for (const node of nodes) sent.add(node);
    return false;
  });
}

/** Puts nodes where they were. */
function put(target, nodes, { previousSibling, nextSibling }) {
  const isHere = (node) => node?.parentNode === target;
  const behind = isHere(nextSibling) || previousSibling ? null : target.firstChild;
  const place = isHere(previousSibling) ? previousSibling.nextSibling : isHere(nextSibling) ? nextSibling : behind;
  for (const node of nodes) target.insertBefore(node, place);
}

/** Hydrates the page as the server has sent it. */
export function asSent(hydrate) {
  changes.push(...(observer?.takeRecords() ?? []));
  observer?.disconnect();
  const made = foreign();
  const added = made.flatMap((change) => {
    const { target, addedNodes, removedNodes } = change;
    // What stands for a text is a translation of it.
    if ([...removedNodes].some(isText)) return [];
    const nodes = [...addedNodes].filter((node) => node.nodeType === Node.ELEMENT_NODE && node.parentNode === target);
    return nodes.map((node) => ({ change, node }));
  });
  for (const change of made.reverse()) {
    const { type, target, addedNodes, removedNodes, oldValue } = change;
    if (type === 'characterData') target.nodeValue = oldValue;
    for (const node of addedNodes) if (node.parentNode === target) target.removeChild(node);
    put(target, removedNodes, change);
  }
  // The parser goes on behind a text that was replaced.
  document.body.normalize();
  hydrate();
  for (const { change, node } of added) put(change.target, [node], change);
}
