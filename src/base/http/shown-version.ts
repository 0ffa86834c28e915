// The version of the document that a link shows. The page of a link names it in the addresses of
// the file, so that no page mixes the bytes of two versions.
import { fail } from '../errors/errors.ts';

type Shown = { readonly version: number };

/** The header by which an open page learns that the link shows another version now. */
export const versionHeader = ({ version }: Shown) => ({
  'latchkey-version': String(version),
});

export const versionHeaderDoc = {
  'Latchkey-Version': 'The version of the document that the link shows.',
};

/** Throws `precondition_failed` unless the link shows the version that the path names. */
export function requireShownVersion({ version }: Shown, named: string | undefined): void {
  if (named === undefined || named === String(version)) return;
  throw fail('precondition_failed', 'The link shows another version of the document now.');
}
