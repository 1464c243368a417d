// What others do to the page before the program begins: extensions of the browser, and its translation.
//
// Hydration walks over the nodes that the server has sent, and fails at any other. `watching` (`app.rs`) collects all changes
// from the end of the page's HTML on. They are undone for the moment of hydration, and elements are put back afterwards.
// @ts-check

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
