/**
 * Keeps a selection from jumping while the pointer crosses the empty space between lines. Text
 * lies in the page as absolutely placed spans, so the browser would take a gap for the end of the
 * page; during a drag, a filler behind the spans stands next to the selection's moving end.
 */

const fillers = new WeakMap<Element, HTMLElement>();
let listening = false;

/** `text` is a page's text layer; its spans are its children. */
export function trackSelection(text: HTMLElement): void {
  const filler = document.createElement('div');
  filler.className = 'filler';
  fillers.set(text, filler);
  text.append(filler);
  if (listening) return;
  listening = true;
  document.addEventListener('pointerdown', start);
  document.addEventListener('pointerup', stop);
  document.addEventListener('pointercancel', stop);
  window.addEventListener('blur', stop);
}

function start(event: PointerEvent): void {
  if (!(event.target instanceof Element) || !event.target.closest('.text')) return;
  document.body.classList.add('selecting');
  document.addEventListener('selectionchange', follow);
}

function stop(): void {
  document.body.classList.remove('selecting');
  document.removeEventListener('selectionchange', follow);
}

function follow(): void {
  const selection = document.getSelection();
  const { anchorNode, focusNode } = selection ?? {};
  if (!selection || !anchorNode || !focusNode || selection.isCollapsed) return;
  const element = focusNode instanceof Element ? focusNode : focusNode.parentElement;
  const span = element?.closest('.text > span');
  const filler = span?.parentElement && fillers.get(span.parentElement);
  if (!span || !filler) return;
  if (isBackward(selection)) span.before(filler);
  else span.after(filler);
}

function isBackward({ anchorNode, anchorOffset, focusNode, focusOffset }: Selection): boolean {
  if (!anchorNode || !focusNode) return false;
  if (anchorNode === focusNode) return focusOffset < anchorOffset;
  const order = anchorNode.compareDocumentPosition(focusNode);
  return (order & Node.DOCUMENT_POSITION_PRECEDING) !== 0;
}
