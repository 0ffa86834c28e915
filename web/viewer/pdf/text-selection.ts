/**
 * Keeps a text selection from jumping while the pointer crosses a gap between lines. The text layer
 * consists of absolutely positioned spans, so the browser would select to the end of the page.
 * During a drag, a filler behind the spans follows the moving end of the selection.
 */

const fillers = new WeakMap<Element, HTMLElement>();
let listening = false;

/** `text`: a text layer, whose children are the spans. */
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
