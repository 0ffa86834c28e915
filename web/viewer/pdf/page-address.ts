/** For a reload, a shared URL (the fragment), and a reader who returns (the storage). */

/** Browsers limit the rate of history changes. */
const pauseMilliseconds = 500;

let pausing: ReturnType<typeof setTimeout> | undefined;

/** By link. The address never contains a secret other than the link itself. */
const storageKey = () => `latchkey.page:${location.pathname}`;

export function pageFromAddress(): number {
  return addressedPage() ?? 1;
}

export function startPage(): number {
  return addressedPage() ?? storedPage() ?? 1;
}

/** Adds a history entry for a jump, so that the back button returns to the link. */
export function pushPageAddress(from: number, to: number): void {
  clearTimeout(pausing);
  history.replaceState(history.state, '', `#page=${from}`);
  history.pushState(null, '', `#page=${to}`);
}

export function rememberPage(number: number): void {
  clearTimeout(pausing);
  pausing = setTimeout(() => {
    store(number);
    if (pageFromAddress() === number) return;
    history.replaceState(history.state, '', `#page=${number}`);
  }, pauseMilliseconds);
}

function addressedPage(): number | undefined {
  return pageIn(/^#page=(.*)$/.exec(location.hash)?.[1]);
}

function storedPage(): number | undefined {
  try {
    return pageIn(localStorage.getItem(storageKey()));
  } catch {
    // Some browsers refuse the access if cookies are blocked.
    return undefined;
  }
}

function store(number: number): void {
  try {
    localStorage.setItem(storageKey(), String(number));
  } catch {
    // The storage is blocked or full.
  }
}

function pageIn(text: string | null | undefined): number | undefined {
  return text && /^[1-9]\d{0,5}$/.test(text) ? Number(text) : undefined;
}
