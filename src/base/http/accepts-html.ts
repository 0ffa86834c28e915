import Negotiator from 'negotiator';

/** Whether a client prefers HTML to JSON, as browsers do (RFC 9110 §12.5.1). */
export function acceptsHtml(accept: string | undefined): boolean {
  const negotiator = new Negotiator({ headers: { accept } });
  const types = ['application/problem+json', 'application/json', 'text/html'];
  return negotiator.mediaType(types) === 'text/html';
}
