// Parses the JSON text of a request, for every transport that accepts JSON.
import type { DescField, DescMessage, JsonValue } from '@bufbuild/protobuf';
import { fail, invalid } from '../base/errors/errors.ts';
import { isNestedTooDeeply } from '../base/limits/json-nesting.ts';
import { findLostMember, findRepeatedField, hasRepeatedName } from './json-members.ts';
import { checkTexts } from './json-texts.ts';

/** Throws `invalid_argument` for malformed JSON, duplicate keys, and other forms of texts. */
export function parseRequestJson(text: string, root: DescMessage | DescField): JsonValue {
  if (isNestedTooDeeply(text)) throw fail('invalid_argument', 'The JSON is nested too deeply.');
  let value: JsonValue;
  try {
    value = JSON.parse(text);
  } catch {
    throw fail('invalid_argument', 'The body is not valid JSON.');
  }
  if (hasRepeatedName(text, value)) {
    throw invalid(findRepeatedField(text, root) ?? '', 'must be set only once');
  }
  // A text without either of these has no such member.
  if (text.includes('proto__') || text.includes('\\u')) {
    const lost = findLostMember(value, root.kind === 'field' ? root.name : '');
    if (lost !== undefined) throw invalid(lost, 'is a name that a member cannot have');
  }
  checkTexts(value, root);
  return value;
}
