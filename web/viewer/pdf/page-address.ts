/** The current page in the URL fragment, so that a reload or a shared URL opens it. */

/** Browsers limit the rate of history changes. */
const pauseMilliseconds = 500;

let pausing: ReturnType<typeof setTimeout> | undefined;

/** 1 if the URL has no page. */
export function pageFromAddress(): number {
  return Number(/^#page=([1-9]\d{0,5})$/.exec(location.hash)?.[1] ?? 1);
}

/** Adds a history entry; the `hashchange` listener scrolls to the page. */
export function pushPageAddress(page: number): void {
  const hash = `#page=${page}`;
  if (location.hash === hash) dispatchEvent(new HashChangeEvent('hashchange'));
  else location.hash = hash;
}

export function rememberPage(number: number): void {
  clearTimeout(pausing);
  pausing = setTimeout(() => {
    if (pageFromAddress() === number) return;
    history.replaceState(history.state, '', `#page=${number}`);
  }, pauseMilliseconds);
}
