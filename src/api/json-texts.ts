// Times, numbers and update masks that a JSON request writes as text. The library reads more forms
// than ProtoJSON defines: it changes February 30 to March 2, and accepts numbers such as 0x5.
import { type DescField, type DescMessage, type JsonValue, ScalarType } from '@bufbuild/protobuf';
import { isWrapperDesc } from '@bufbuild/protobuf/wkt';
import { invalid } from '../base/errors/errors.ts';
import { fieldNamed, isObjectMessage } from './json-members.ts';

const timePattern =
  /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(?:\.\d{1,9})?(?:Z|[+-](\d{2}):(\d{2}))$/;

/** RFC 3339 §5.6, without leap seconds, which seconds since 1970 do not count. */
function isTime(text: string): boolean {
  const parts =
    timePattern
      .exec(text)
      ?.slice(1)
      .map((part) => Number(part ?? 0)) ?? [];
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts;
  const [offsetHour = 0, offsetMinute = 0] = parts.slice(6);
  const isDate = year >= 1 && month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month);
  const isOffset = offsetHour <= 23 && offsetMinute <= 59;
  return isDate && isOffset && hour <= 23 && minute <= 59 && second <= 59;
}

function daysIn(year: number, month: number): number {
  const isLeapYear = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  if (month === 2) return isLeapYear ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}

export const wrongType = 'has the wrong type or is out of range';
const notTime =
  'must be a valid RFC 3339 time, such as 2027-01-31T12:00:00Z, without a leap second';
const notMask = 'must name fields in lower camel case, such as expireTime,viewLimit';

export function requireTextForm(field: DescField, path: string, text: string): void {
  const { message } = field;
  if (message?.typeName === timestamp) {
    if (!isTime(text)) throw invalid(path, notTime);
  } else if (message?.typeName === fieldMask) {
    if (text.includes('_')) throw invalid(path, notMask);
  } else if (numberForm(field)?.test(text) === false) throw invalid(path, wrongType);
}

const timestamp = 'google.protobuf.Timestamp';
const fieldMask = 'google.protobuf.FieldMask';
const decimal = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const decimalOrSpecial = new RegExp(`${decimal.source}|^(?:NaN|-?Infinity)$`);

function numberForm({ message, scalar: own }: DescField): RegExp | undefined {
  const scalar = message !== undefined && isWrapperDesc(message) ? message.fields[0]?.scalar : own;
  switch (scalar) {
    case undefined:
    case ScalarType.STRING:
    case ScalarType.BOOL:
    case ScalarType.BYTES:
      return undefined;
    case ScalarType.DOUBLE:
    case ScalarType.FLOAT:
      return decimalOrSpecial;
    default:
      return decimal;
  }
}

/** Throws `invalid_argument` with the path of the first wrong field. */
export function checkTexts(value: JsonValue, root: DescMessage | DescField): void {
  if (root.kind === 'message') checkMessage(value, root, '');
  else checkField(value, root, root.name);
}

function checkMessage(value: JsonValue, message: DescMessage, parent: string): void {
  if (!isObject(value) || !hasCheckedFields(message)) return;
  for (const [name, item] of Object.entries(value)) {
    const field = fieldNamed(message, name);
    if (field !== undefined) checkField(item, field, parent + field.name);
  }
}

function checkField(value: JsonValue, field: DescField, path: string): void {
  const { fieldKind } = field;
  if (fieldKind === 'list' && Array.isArray(value)) {
    for (const item of value) checkItem(item, field, path);
  } else if (fieldKind === 'map' && isObject(value)) {
    for (const item of Object.values(value)) checkItem(item, field, path);
  } else if (fieldKind !== 'list' && fieldKind !== 'map') checkItem(value, field, path);
}

function checkItem(value: JsonValue, field: DescField, path: string): void {
  if (isObjectMessage(field.message)) checkMessage(value, field.message, `${path}.`);
  else if (typeof value === 'string') requireTextForm(field, path, value);
}

const isObject = (value: JsonValue): value is { [name: string]: JsonValue } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const checked = new WeakMap<DescMessage, boolean>();

function hasCheckedFields(message: DescMessage): boolean {
  let found = checked.get(message);
  if (found === undefined) {
    found = [...messagesIn(message)].some(({ fields }) => fields.some(hasForm));
    checked.set(message, found);
  }
  return found;
}

const hasForm = (field: DescField) =>
  [timestamp, fieldMask].includes(field.message?.typeName ?? '') || numberForm(field) !== undefined;

function messagesIn(message: DescMessage, seen = new Set<DescMessage>()): Set<DescMessage> {
  if (seen.has(message)) return seen;
  seen.add(message);
  for (const { message: inner } of message.fields) {
    if (isObjectMessage(inner)) messagesIn(inner, seen);
  }
  return seen;
}
