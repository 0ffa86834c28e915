// Decodes bytes to a request message. An error names the wrong field but never repeats its value,
// which may be a secret.
import {
  type DescMessage,
  fromBinary,
  fromJson,
  type JsonReadOptions,
  type Message,
  toBinary,
} from '@bufbuild/protobuf';
import { findRepeatedField } from '../../api/json-members.ts';
import { parseRequestJson } from '../../api/request-json.ts';
import { type Failure, fail, invalid } from '../../base/errors/errors.ts';

/** Throws `invalid_argument`. */
export function decodeBinary(schema: DescMessage, bytes: Uint8Array): Message {
  let message: Message;
  try {
    message = fromBinary(schema, bytes);
  } catch (cause) {
    throw fail('invalid_argument', undecodable, { cause });
  }
  const object = schema.fields.find(
    (field) => field.message?.typeName === 'google.protobuf.Struct',
  );
  if (object !== undefined && countLost(bytes) > 0) {
    if (countLost(bytes) > countLost(toBinary(schema, message))) {
      throw invalid(`${object.name}.${lostName}`, 'is a name that a member cannot have');
    }
  }
  return message;
}

/** The library loses members with this name: in its plain objects, it names the prototype. */
const lostName = '__proto__';

const countLost = (bytes: Uint8Array) =>
  Buffer.from(bytes).toString('latin1').split(lostName).length - 1;

/** Throws `invalid_argument`. */
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
