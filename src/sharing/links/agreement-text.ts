import { createHash } from 'node:crypto';
import { invalid } from '../../base/errors/errors.ts';

/** Control characters other than line breaks and tabs, and characters that change the direction. */
const refused = /(?![\t\n\r])\p{Cc}|[\u202a-\u202e\u2066-\u2069]/u;

/** Returns the digest of an agreement's text; empty for an empty text. Throws for a bad text. */
export function readAgreement(text: string): string {
  if (text === '') return '';
  if (text.trim() === '') throw invalid('agreement', 'must not be blank');
  if (refused.test(text)) throw invalid('agreement', 'must not contain control characters');
  return createHash('sha256').update(text).digest('hex');
}
