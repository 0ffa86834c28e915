// An HTTP request -> the request message, and the response message -> JSON, by a binding. What the
// caller sent wrong is named by its field; its value is never repeated, as it may be a secret.
import {
  type DescField,
  type DescMessage,
  fromJson,
  type JsonObject,
  type JsonValue,
  type Message,
  ScalarType,
  toJson,
} from '@bufbuild/protobuf';
import { reflect } from '@bufbuild/protobuf/reflect';
import { fail, invalid } from '../../rpc/errors.ts';
import { type Binding, topOf } from './binding.ts';
import type { Capture } from './template.ts';

export type HttpInput = {
  readonly variables: readonly Capture[];
  /** The query, without its `?`. */
  readonly query: string;
  /** The text of a JSON body; undefined for none. */
  readonly body: string | undefined;
  /** Fields of the request that are HTTP headers, by proto name. */
  readonly headerFields: JsonObject;
};

/** Reads the request message. Throws `invalid_argument`, naming the field. */
export function readMessage(binding: Binding, input: HttpInput): Message {
  const { endpoint } = binding;
  const schema = endpoint.descriptor.input;
  const json: JsonObject = { ...input.headerFields };
  readBody(binding, input.body, json);
  readQuery(binding, input.query, json);
  for (const [fieldPath, value] of input.variables) put(json, schema, fieldPath, [value]);
  return decode(schema, json);
}

function readBody(binding: Binding, text: string | undefined, json: JsonObject): void {
  const { body, pathFields, endpoint } = binding;
  if (body === undefined) {
    if (text !== undefined && text !== '') throw fail('invalid_argument', 'No body is taken here.');
    return;
  }
  const value = parseJson(text);
  if (body !== '*') {
    json[body.name] = value;
    return;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw fail('invalid_argument', 'The body is not a JSON object.');
  }
  const { input } = endpoint.descriptor;
  checkNames(input, value, '');
  const given: string[] = [];
  for (const [name, member] of Object.entries(value)) {
    const field = fieldNamed(input, name);
    if (field === undefined) continue;
    if (pathFields.has(field.name)) throw invalid(field.name, 'is given by the path');
    json[field.name] = member;
    // Where the call acts is no change.
    if (!(endpoint.access.workspace && field.name === 'workspace_id')) given.push(field.jsonName);
  }
  // AIP-134 and RFC 7396: what a PATCH names is what it changes, and null clears.
  const mask = binding.method === 'PATCH' && fieldNamed(input, 'update_mask');
  if (mask && json.update_mask === undefined) json.update_mask = given.join(',');
}

function parseJson(text: string | undefined): JsonValue {
  if (text === undefined || text === '') return {};
  try {
    return JSON.parse(text);
  } catch {
    throw fail('invalid_argument', 'The body is not JSON.');
  }
}

function readQuery(binding: Binding, query: string, json: JsonObject): void {
  if (query === '') return;
  const { body, pathFields, endpoint } = binding;
  const values = new Map<string, string[]>();
  for (const [name, value] of new URLSearchParams(query)) {
    values.set(name, [...(values.get(name) ?? []), value]);
  }
  for (const [name, list] of values) {
    const top = topOf(name);
    const field = fieldNamed(endpoint.descriptor.input, top);
    if (body === '*' || field === undefined || body?.name === field.name) {
      throw invalid(name, 'is not a query parameter that is taken here');
    }
    if (pathFields.has(field.name)) throw invalid(field.name, 'is given by the path');
    put(json, endpoint.descriptor.input, name, list);
  }
}

/** Puts the text of a path variable or a query parameter where its field is, making its parents. */
function put(json: JsonObject, message: DescMessage, path: string, values: string[]): void {
  let target = json;
  let schema = message;
  const names = path.split('.');
  for (const [i, name] of names.entries()) {
    const field = fieldNamed(schema, name);
    if (field === undefined) throw invalid(path, 'is not a field that is taken here');
    if (i === names.length - 1) {
      if (field.name in target) throw invalid(path, 'is given twice');
      target[field.name] = fromText(field, path, values);
      return;
    }
    if (field.fieldKind !== 'message') throw invalid(path, 'is not a field that is taken here');
    const inner = target[field.name] ?? {};
    target[field.name] = inner;
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) {
      throw invalid(path, 'is given twice');
    }
    target = inner;
    schema = field.message;
  }
}

function fromText(field: DescField, path: string, values: string[]): JsonValue {
  if (field.fieldKind === 'list') {
    if (field.listKind === 'message') throw invalid(path, 'cannot be given in the query');
    return values.map((value) => scalarFromText(field.listKind, field.scalar, value));
  }
  const [value, second] = values;
  if (value === undefined || second !== undefined) throw invalid(path, 'is given twice');
  if (field.fieldKind === 'map') throw invalid(path, 'cannot be given in the query');
  return scalarFromText(field.fieldKind, field.scalar, value);
}

// ProtoJSON writes every other scalar, and the well-known types, as text too.
function scalarFromText(kind: string, scalar: ScalarType | undefined, value: string): JsonValue {
  if (scalar === ScalarType.BOOL) {
    if (value === 'true') return true;
    if (value === 'false') return false;
  }
  if (kind === 'enum' && /^-?\d+$/.test(value)) return Number(value);
  return value;
}

/** Throws for a member that is no field, or that gives a field twice by its two spellings. */
function checkNames(message: DescMessage, json: JsonObject, parent: string): void {
  const seen = new Set<DescField>();
  for (const [name, value] of Object.entries(json)) {
    const field = fieldNamed(message, name);
    if (field === undefined) throw invalid(parent + name.slice(0, 64), 'is not a field');
    if (seen.has(field)) throw invalid(parent + field.name, 'is given twice');
    seen.add(field);
    checkInner(field, value, `${parent}${field.name}.`);
  }
}

function checkInner(field: DescField, value: JsonValue | undefined, parent: string): void {
  if (field.message === undefined || field.message.typeName.startsWith('google.protobuf.')) return;
  const inner = Array.isArray(value) ? value : [value];
  for (const one of inner) {
    if (typeof one === 'object' && one !== null && !Array.isArray(one)) {
      if (field.fieldKind !== 'map') checkNames(field.message, one, parent);
    }
  }
}

const namesOf = new WeakMap<DescMessage, ReadonlyMap<string, DescField>>();

/** A field by either of its spellings, `document_id` or `documentId`. */
function fieldNamed(message: DescMessage, name: string): DescField | undefined {
  let names = namesOf.get(message);
  if (names === undefined) {
    names = new Map(
      message.fields.flatMap((field) => [
        [field.jsonName, field],
        [field.name, field],
      ]),
    );
    namesOf.set(message, names);
  }
  return names.get(name);
}

function decode(schema: DescMessage, json: JsonObject): Message {
  try {
    return fromJson(schema, json);
  } catch (cause) {
    // The library's message may repeat the value; which field it was is found out here.
    const culprit = Object.entries(json).find(([name, value]) => !decodes(schema, name, value));
    if (culprit === undefined) throw fail('invalid_argument', 'The fields contradict each other.');
    throw fail('invalid_argument', `${culprit[0]}: ${wrongType}`, {
      fields: [{ field: culprit[0], detail: wrongType }],
      cause,
    });
  }
}

const wrongType = 'has the wrong type or is out of range';

function decodes(schema: DescMessage, name: string, value: JsonValue): boolean {
  try {
    fromJson(schema, { [name]: value });
    return true;
  } catch {
    return false;
  }
}

const writeOptions = { alwaysEmitImplicit: true, useProtoFieldName: true } as const;

/** The JSON of a response, or of the one field of it that is sent. */
export function writeMessage({ endpoint, responseBody }: Binding, message: Message): JsonValue {
  const json = toJson(endpoint.descriptor.output, message, writeOptions);
  if (responseBody === undefined) return json;
  const isSet = reflect(endpoint.descriptor.output, message).isSet(responseBody);
  const body = typeof json === 'object' && json !== null && !Array.isArray(json) ? json : {};
  return (isSet ? body[responseBody.name] : undefined) ?? {};
}
