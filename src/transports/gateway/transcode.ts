// Converts HTTP requests to request messages, and response messages to JSON, by a binding. Errors
// name the wrong field but never repeat its value, which may be a secret.
import {
  create,
  type DescField,
  type DescMessage,
  fromJson,
  type JsonObject,
  type JsonValue,
  type Message,
  ScalarType,
} from '@bufbuild/protobuf';
import { reflect } from '@bufbuild/protobuf/reflect';
import { FieldMaskSchema, isWrapperDesc } from '@bufbuild/protobuf/wkt';
import type { Call } from '../../api/call.ts';
import { fieldNamed, isObjectMessage } from '../../api/json-members.ts';
import { requireTextForm, wrongType } from '../../api/json-texts.ts';
import { parseRequestJson } from '../../api/request-json.ts';
import { responseJson } from '../../api/response-json.ts';
import { fail, invalid } from '../../base/errors/errors.ts';
import { type Binding, topLevelFieldOf, type UpdateMask } from './binding.ts';
import {
  addBasicClient,
  authenticatesClient,
  parseOAuthForm,
  requireClientCredentials,
} from './oauth-form.ts';
import type { Capture } from './router.ts';

export type HttpRequestParts = {
  readonly variables: readonly Capture[];
  /** The query, without its `?`. */
  readonly query: string;
  /** The text of the body: JSON or a form. Undefined if there is no body. */
  readonly body: string | undefined;
  readonly isForm: boolean;
  /** The Authorization header, if it is HTTP Basic and the method accepts that. */
  readonly basic: string | undefined;
  readonly call: Pick<Call, 'clientCertificate'>;
  /** Fields of the request that are HTTP headers, by proto name. */
  readonly headerFields: JsonObject;
};

/** Reads the request message. Throws `invalid_argument` with the name of the field. */
export function transcodeRequest(binding: Binding, input: HttpRequestParts): Message {
  const { input: schema } = binding.endpoint.descriptor;
  const json: JsonObject = { ...input.headerFields };
  readQuery(binding, input.query, json);
  const body = bodyOf(binding, input);
  const given = placeBody(binding, input, body, json);
  for (const [fieldPath, value] of input.variables) {
    put(json, schema, fieldPath, [value], 'is given by the path');
  }
  const message = messageFromFields(schema, json);
  if (binding.mask !== undefined) completeMask(schema, message, binding.mask, given);
  return message;
}

function bodyOf({ body, endpoint }: Binding, { body: text, isForm }: HttpRequestParts) {
  if (body !== undefined) {
    const { input } = endpoint.descriptor;
    if (isForm) return parseOAuthForm(input, text ?? '');
    if (text === undefined || text === '') return {};
    return parseRequestJson(text, body === '*' ? input : body);
  }
  if (text !== undefined && text !== '')
    throw fail('invalid_argument', 'This method accepts no body.');
  return undefined;
}

/** Copies the body into the message. Returns the names of its fields. */
function placeBody(
  { body, endpoint }: Binding,
  { isForm, basic, call }: HttpRequestParts,
  value: JsonValue | undefined,
  json: JsonObject,
): string[] {
  if (body === undefined || value === undefined) return [];
  if (body !== '*') {
    const inner = readFields(body, value, `${body.name}.`, 1);
    json[body.name] = inner;
    return isObject(inner) ? Object.keys(inner) : [];
  }
  if (!isObject(value)) throw fail('invalid_argument', 'The body must be a JSON object.');
  const fields = readMembers(endpoint.descriptor.input, value, '', 0);
  Object.assign(json, fields);
  if (basic !== undefined) addBasicClient(json, basic);
  else if (isForm && authenticatesClient(endpoint)) requireClientCredentials(json, call);
  return Object.keys(fields);
}

/** A PATCH changes the fields in its body, and null clears a field (AIP-134, RFC 7396). */
function completeMask(
  schema: DescMessage,
  message: Message,
  mask: UpdateMask,
  given: string[],
): void {
  const whole = reflect(schema, message);
  if (whole.isSet(mask.field)) return;
  const paths = given.filter((name) => name !== mask.field.name && mask.mayName(name));
  whole.set(mask.field, reflect(FieldMaskSchema, create(FieldMaskSchema, { paths })));
}

function readQuery(binding: Binding, query: string, json: JsonObject): void {
  if (query === '') return;
  const { body, endpoint } = binding;
  const values = new Map<string, string[]>();
  for (const [name, value] of new URLSearchParams(query)) {
    const list = values.get(name);
    if (list === undefined) values.set(name, [value]);
    else list.push(value);
  }
  for (const [name, list] of values) {
    const field = fieldNamed(endpoint.descriptor.input, topLevelFieldOf(name));
    if (body === '*' || field === undefined || body?.name === field.name) {
      throw invalid(name.slice(0, 64), 'is not a query parameter of this method');
    }
    put(json, endpoint.descriptor.input, name, list, 'must be set only once');
  }
}

/** Sets the field of a path variable or query parameter, and creates its parent messages. */
function put(
  json: JsonObject,
  message: DescMessage,
  path: string,
  values: string[],
  ifGiven: string,
): void {
  let target = json;
  let schema = message;
  const names = path.split('.', depthMax + 1);
  const noSuchField = () => invalid(path.slice(0, 64), 'is not a field of this method');
  if (names.length > depthMax) throw noSuchField();
  for (const [i, name] of names.entries()) {
    const field = fieldNamed(schema, name);
    if (field === undefined) throw noSuchField();
    if (i === names.length - 1) {
      if (Object.hasOwn(target, field.name)) throw invalid(path, ifGiven);
      target[field.name] = parseFieldText(field, path, values);
      return;
    }
    if (field.fieldKind !== 'message') throw noSuchField();
    // null means that the message is unset.
    const inner = (Object.hasOwn(target, field.name) ? target[field.name] : undefined) ?? {};
    if (!isObject(inner)) throw invalid(path, ifGiven);
    target[field.name] = inner;
    target = inner;
    schema = field.message;
  }
}

/** The maximum nesting of messages, as in other implementations of protobuf. */
const depthMax = 100;

/** Converts the member names in a field's value to proto names. */
function readFields(field: DescField, value: JsonValue, parent: string, depth: number): JsonValue {
  const { message } = field;
  if (!isObjectMessage(message) || value === null || typeof value !== 'object') return value;
  if (depth > depthMax) throw invalid(parent.slice(0, 64), 'is nested too deeply');
  const members = (item: JsonValue) =>
    isObject(item) ? readMembers(message, item, parent, depth) : item;
  if (field.fieldKind === 'list') return Array.isArray(value) ? value.map(members) : value;
  if (field.fieldKind !== 'map') return members(value);
  if (Array.isArray(value)) return value;
  const entries = Object.entries(value).map(([key, item]) => [key, members(item ?? null)]);
  return Object.fromEntries(entries);
}

function readMembers(
  message: DescMessage,
  json: JsonObject,
  parent: string,
  depth: number,
): JsonObject {
  const members: JsonObject = {};
  for (const [name, value] of Object.entries(json)) {
    const field = fieldNamed(message, name);
    if (field === undefined)
      throw invalid(parent + name.slice(0, 64), 'is not a field of this method');
    if (Object.hasOwn(members, field.name))
      throw invalid(parent + field.name, 'must be set only once');
    const path = `${parent}${field.name}.`;
    members[field.name] = readFields(field, value ?? null, path, depth + 1);
  }
  return members;
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function messageFromFields(schema: DescMessage, json: JsonObject): Message {
  try {
    return fromJson(schema, json);
  } catch {
    // The library's error may repeat the value and must not be logged. This finds the field's name.
    const wrongField = Object.entries(json).find(([name, value]) => !decodes(schema, name, value));
    if (wrongField === undefined) {
      throw fail('invalid_argument', 'The fields contradict each other.');
    }
    throw fail('invalid_argument', `${wrongField[0]}: ${wrongType}`, {
      fields: [{ field: wrongField[0], detail: wrongType }],
    });
  }
}

function decodes(schema: DescMessage, name: string, value: JsonValue): boolean {
  try {
    fromJson(schema, { [name]: value });
    return true;
  } catch {
    return false;
  }
}

export function encodeResponse(binding: Binding, message: Message): JsonValue {
  const { endpoint, responseBody } = binding;
  const json = responseJson(endpoint.descriptor.output, message);
  if (responseBody === undefined) return json;
  const value = isObject(json) ? json[responseBody.name] : undefined;
  return value ?? (isObjectMessage(responseBody.message) ? {} : null);
}

/**
 * Converts the text of a path variable or query parameter to a ProtoJSON value. Throws
 * `invalid_argument` for the field at `path`.
 */
export function parseFieldText(field: DescField, path: string, values: string[]): JsonValue {
  if (field.fieldKind === 'list') {
    if (isObjectMessage(field.message)) throw invalid(path, 'cannot be set in the query');
    return values.map((value) => scalarFromText(field, path, value));
  }
  const [value, second] = values;
  if (value === undefined || second !== undefined) throw invalid(path, 'must be set only once');
  if (field.fieldKind === 'map' || isObjectMessage(field.message)) {
    throw invalid(path, 'cannot be set in the query');
  }
  return scalarFromText(field, path, value);
}

// ProtoJSON also writes all other scalars and the well-known types as text. A wrapper, such as
// BoolValue, is written as its value.
function scalarFromText(field: DescField, path: string, value: string): JsonValue {
  const { scalar, enum: isEnum } = wrappedValue(field.message) ?? field;
  if (scalar === ScalarType.BOOL) {
    if (value === 'true') return true;
    if (value === 'false') return false;
  }
  if (isEnum && /^-?\d+$/.test(value)) return Number(value);
  // The library also accepts white space, which ProtoJSON does not permit.
  const isBytes = scalar === ScalarType.BYTES;
  if (isBytes && !/^[A-Za-z0-9+/_-]*={0,2}$/.test(value)) throw invalid(path, wrongType);
  requireTextForm(field, path, value);
  return value;
}

const wrappedValue = (message: DescMessage | undefined): DescField | undefined =>
  message !== undefined && isWrapperDesc(message) ? message.fields[0] : undefined;
