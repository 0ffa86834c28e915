/** The page being read, at the end of the address: a reload comes back to it; it can be sent. */

/** Browsers refuse to be told of too many places too fast. */
const pauseMilliseconds = 500;

let pausing: ReturnType<typeof setTimeout> | undefined;

/** 1 where the address names none. */
export function pageFromAddress(): number {
  return Number(/^#page=([1-9]\d{0,5})$/.exec(location.hash)?.[1] ?? 1);
}

/** Adds to the history; the page's listener does the rest. */
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
