// Converts responses to data for the output.
import {
  type DescEnum,
  type DescField,
  type DescMessage,
  type JsonObject,
  type JsonValue,
  type Message,
  toJson,
} from '@bufbuild/protobuf';
import type { Data } from '../base/print.ts';
import { shortEnumName } from './request.ts';

/** Returns the same JSON as the HTTP API. */
export const jsonOf = (desc: DescMessage, message: Message) =>
  toJson(desc, message, { alwaysEmitImplicit: true, useProtoFieldName: true }) as JsonObject;

/** Returns data for people: `CREDENTIAL_STATE_LIVE` becomes `live`. */
export function shownData(desc: DescMessage, json: JsonObject): Data {
  const entries = desc.fields.map((field) => [field.name, shownValue(field, json[field.name])]);
  return Object.fromEntries(entries);
}

function shownValue(field: DescField, value: JsonValue | undefined): unknown {
  if (value === undefined || value === null) return undefined;
  const isList = field.fieldKind === 'list';
  const message = 'message' in field ? field.message : undefined;
  if (message !== undefined && !message.typeName.startsWith('google.')) {
    const show = (one: JsonValue) => shownData(message, one as JsonObject);
    return isList ? (value as JsonValue[]).map(show) : show(value);
  }
  const desc = 'enum' in field ? field.enum : undefined;
  if (desc === undefined) return value;
  return isList
    ? (value as JsonValue[]).map((one) => shownEnum(desc, one))
    : shownEnum(desc, value);
}

function shownEnum(desc: DescEnum, value: JsonValue): string {
  const name = shortEnumName(desc, String(value));
  return name === 'unspecified' ? '' : name;
}

/** The only message of a response, such as its `client`, as in the HTTP API. */
export function bodyField({ fields }: DescMessage) {
  const [field, ...others] = fields;
  if (others.length > 0 || field?.fieldKind !== 'message') return undefined;
  // A time is a text in JSON.
  return field.message.typeName.startsWith('google.protobuf.') ? undefined : field;
}

/** The items of a list's response. */
export function itemsField({ fields }: DescMessage) {
  return fields.find((field) => field.fieldKind === 'list' && field.listKind === 'message');
}
