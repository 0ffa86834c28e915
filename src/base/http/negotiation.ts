// The content coding and the type that a client prefers (RFC 9110 §12.5).
import Negotiator from 'negotiator';

/** In order of preference, for clients without a preference. */
const codings = ['br', 'gzip', 'identity'];

/** The types of the library do not have the options. */
type Encodings = {
  encodings(available: string[], options: { readonly preferred: string[] }): string[];
};

/** `ties` decides between codings that the client prefers equally, instead of its header. */
export function preferredCoding(
  acceptEncoding: string | string[] | undefined,
  ties: string[] = [],
): string | undefined {
  if (acceptEncoding === undefined) return undefined;
  const headers = { 'accept-encoding': String(acceptEncoding) };
  const negotiator: Encodings = new Negotiator({ headers });
  const accepted = negotiator.encodings(codings, { preferred: ties });
  // If the client prefers several codings equally, they are in the order of its header.
  return codings.find((coding) => coding === accepted[0]) ?? undefined;
}

/** Whether a client prefers HTML to JSON, as browsers do (RFC 9110 §12.5.1). */
export function acceptsHtml(accept: string | undefined): boolean {
  const negotiator = new Negotiator({ headers: { accept } });
  const types = ['application/problem+json', 'application/json', 'text/html'];
  return negotiator.mediaType(types) === 'text/html';
}
