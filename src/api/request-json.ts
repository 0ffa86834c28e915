// Parses the JSON text of a request, for every transport that accepts JSON.
import type { DescField, DescMessage, JsonValue } from '@bufbuild/protobuf';
import { fail, invalid } from '../base/errors/errors.ts';
import { isNestedTooDeeply } from '../base/limits/json-nesting.ts';
import { findRepeatedField, hasRepeatedName } from './json-members.ts';
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
  checkTexts(value, root);
  return value;
}
