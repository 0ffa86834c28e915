import { createHash } from 'node:crypto';
import { invalid } from '../../base/errors/errors.ts';

/** Returns the digest of an agreement's text; empty for an empty text. Throws for a bad text. */
export function readAgreement(text: string): string {
  if (text === '') return '';
  requirePlainText('agreement', text);
  return createHash('sha256').update(text).digest('hex');
}

/** Control characters other than line breaks and tabs, and characters that change the direction. */
const refused = /(?![\t\n\r])\p{Cc}|[\u202a-\u202e\u2066-\u2069]/u;

/** Throws `invalid_argument` for a text of several lines that is blank or disguises itself. */
export function requirePlainText(field: string, text: string): void {
  if (text.trim() === '') throw invalid(field, 'must not be blank');
  if (refused.test(text)) throw invalid(field, 'must not contain control characters');
}
