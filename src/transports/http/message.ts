// Decodes bytes to a request message. An error names the wrong field but never repeats its value,
// which may be a secret.
import {
  type DescMessage,
  fromBinary,
  fromJson,
  type JsonReadOptions,
  type Message,
} from '@bufbuild/protobuf';
import { findRepeatedField } from '../../api/json-members.ts';
import { parseRequestJson } from '../../api/request-json.ts';
import { type Failure, fail, invalid } from '../../base/errors/errors.ts';

export function decodeBinary(schema: DescMessage, bytes: Uint8Array): Message {
  try {
    return fromBinary(schema, bytes);
  } catch (cause) {
    throw fail('invalid_argument', undecodable, { cause });
  }
}

export function decodeJson(
  schema: DescMessage,
  bytes: Uint8Array,
  options: Partial<JsonReadOptions>,
): Message {
  const text = decodeText(bytes);
  const json = parseRequestJson(text, schema);
  try {
    return fromJson(schema, json, options);
  } catch (error) {
    // The library refuses a field that is set by both of its names.
    const repeated = findRepeatedField(text, schema);
    if (repeated !== undefined) throw invalid(repeated, 'must be set only once');
    throw failureOf(error instanceof Error ? error.message : '');
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function decodeText(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw fail('invalid_argument', 'The body must be UTF-8.');
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
