// Decodes bytes to a request message. An error names the wrong field but never repeats its value,
// which may be a secret.
import {
  type DescMessage,
  fromBinary,
  fromJson,
  type JsonReadOptions,
  type JsonValue,
  type Message,
} from '@bufbuild/protobuf';
import { type Failure, fail, invalid } from '../../errors/errors.ts';
import { isNestedTooDeeply } from '../../limits/json-nesting.ts';

/** Throws `invalid_argument`. */
export function decodeBinary(schema: DescMessage, bytes: Uint8Array): Message {
  try {
    return fromBinary(schema, bytes);
  } catch (cause) {
    throw fail('invalid_argument', undecodable, { cause });
  }
}

/** Throws `invalid_argument`. */
export function decodeJson(
  schema: DescMessage,
  bytes: Uint8Array,
  options: Partial<JsonReadOptions>,
): Message {
  const json = parse(bytes);
  try {
    return fromJson(schema, json, options);
  } catch (error) {
    throw failureOf(error instanceof Error ? error.message : '');
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function parse(bytes: Uint8Array): JsonValue {
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    throw fail('invalid_argument', 'The body must be UTF-8.');
  }
  if (isNestedTooDeeply(text)) throw fail('invalid_argument', 'The JSON is nested too deeply.');
  try {
    return JSON.parse(text);
  } catch {
    throw fail('invalid_argument', 'The body is not valid JSON.');
  }
}

const undecodable = 'The request is not a valid message of this method.';

/** Keeps the name of the field and drops the rest of the library's message (it may be secret). */
function failureOf(message: string): Failure {
  const [, extra] = /key "(\w{1,64})" is unknown/.exec(message) ?? [];
  if (extra !== undefined) return invalid(extra, 'is not a field of this method');
  const [, field] = /cannot decode field (?:\w+\.)*(\w+) from JSON/.exec(message) ?? [];
  if (field !== undefined) return invalid(field, 'has the wrong type or is out of range');
  return fail('invalid_argument', undecodable);
}
