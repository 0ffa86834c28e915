import { createHash } from 'node:crypto';
import { requirePlainText } from '../../api/fields.ts';

/** Returns the digest of an agreement's text; empty for an empty text. Throws for a bad text. */
export function readAgreement(text: string): string {
  if (text === '') return '';
  requirePlainText('agreement', text);
  return createHash('sha256').update(text).digest('hex');
}
