/**
 * The policies of the service's own code (W3C Trusted Types). A browser that knows them permits no
 * other markup and no other workers: see src/base/http/html-headers.ts.
 */
type Rules = {
  readonly createHTML?: (text: string) => string;
  readonly createScriptURL?: (url: string) => string;
};

type Factory = { createPolicy<R extends Rules>(name: string, rules: R): R };

/** Returns functions whose results the browser permits. They throw for all other texts. */
export function createPolicy<R extends Rules>(name: string, rules: R): R {
  const { trustedTypes } = globalThis as { readonly trustedTypes?: Factory };
  return trustedTypes?.createPolicy(name, rules) ?? rules;
}

const workers = createPolicy('latchkey-workers', {
  createScriptURL(url: string) {
    const { origin, pathname } = new URL(url, location.href);
    if (origin === location.origin && pathname.startsWith('/assets/')) return url;
    throw new TypeError(`${url} is not a worker of this service`);
  },
});

export const startWorker = (url: string) =>
  new Worker(workers.createScriptURL(url), { type: 'module' });
