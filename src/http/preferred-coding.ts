// The content coding that a client prefers (RFC 9110 §12.5.3).
import Negotiator from 'negotiator';

/** In order of preference, for clients without a preference. */
const codings = ['br', 'gzip', 'identity'];

/** `ties` decides between codings that the client prefers equally, instead of its header. */
export function preferredCoding(
  acceptEncoding: string | string[] | undefined,
  ties: string[] = [],
): string | undefined {
  if (acceptEncoding === undefined) return undefined;
  const headers = { 'accept-encoding': String(acceptEncoding) };
  const accepted = new Negotiator({ headers }).encodings(codings, { preferred: ties });
  // If the client prefers several codings equally, they are in the order of its header.
  return codings.find((coding) => coding === accepted[0]) ?? undefined;
}
