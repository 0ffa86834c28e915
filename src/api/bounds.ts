// Checks a request against the bounds of its proto (buf.validate).
import {
  clearField,
  clone,
  create,
  type DescMessage,
  equals,
  getOption,
  hasOption,
  isFieldSet,
  type Message,
  ScalarType,
} from '@bufbuild/protobuf';
import { TimestampSchema } from '@bufbuild/protobuf/wkt';
import type { Validator, Violation } from '@bufbuild/protovalidate';
import {
  type FieldRules,
  FieldRulesSchema,
  field as fieldRules,
  message as messageRules,
  StringRulesSchema,
} from '@bufbuild/protovalidate/gen/buf/validate/validate_pb.js';
import { fail, invalid } from '../base/errors/errors.ts';
import { isObjectMessage } from './json-members.ts';

/** A gRPC error is in trailers, and peers refuse long ones. */
const violationsMax = 20;

export type LoadValidator = () => Promise<Validator>;

/** Loads protovalidate at the first use: a process that only issues tokens does not need it. */
export function createValidatorLoader(): LoadValidator {
  let loading: Promise<Validator> | undefined;
  return () => {
    loading ??= import('@bufbuild/protovalidate').then(({ createValidator }) => createValidator());
    return loading;
  };
}

/** Throws or rejects with `invalid_argument`. `undefined`: the validator is not needed. */
export type CheckBounds = (request: Message) => Promise<void> | undefined;

export function createBoundsCheck(schema: DescMessage, loadValidator: LoadValidator): CheckBounds {
  const findNul = nulFinder(schema);
  const findLongList = longListFinder(schema);
  const findTime = timeFinder(schema);
  const isWithin = lengthCheck(schema);
  return (request) => {
    // A message is a plain object, keyed by local field names.
    const values = request as unknown as Readonly<Record<string, unknown>>;
    // PostgreSQL cannot store NUL in a text, and no name or id needs it.
    const field = findNul(values);
    if (field !== undefined) throw invalid(field, 'must not contain NUL characters');
    if (isWithin?.(values)) return undefined;
    // The validator would examine each item, although the list is too long.
    const long = findLongList(values);
    if (long !== undefined) throw invalid(long.field, `must contain at most ${long.max} items`);
    const time = findTime(values);
    if (time !== undefined) throw invalid(time, 'must have nanos from 0 to 999,999,999');
    return validate(request);
  };

  async function validate(request: Message): Promise<void> {
    const validator = await loadValidator();
    const result = validator.validate(schema, request);
    if (result.kind === 'error') throw result.error;
    if (result.kind === 'valid') return;
    const fields = result.violations.slice(0, violationsMax).map((violation) => ({
      field: fieldOf(violation),
      detail: correctPlurals(violation.message),
    }));
    const others = result.violations.length - fields.length;
    const details = fields.map((error) => `${error.field}: ${error.detail}`);
    if (others > 0) details.push(`${others} more`);
    throw fail('invalid_argument', details.join('; '), { fields });
  }
}

type Values = Readonly<Record<string, unknown>>;

type FindField = (values: Values) => string | undefined;

/** Returns the name of a text with a NUL character, also in a list of texts or of messages. */
function nulFinder(schema: DescMessage): FindField {
  const textLists = schema.fields.filter(
    (field) =>
      field.fieldKind === 'list' &&
      field.listKind === 'scalar' &&
      field.scalar === ScalarType.STRING,
  );
  const texts = schema.fields.filter(
    ({ fieldKind, scalar }) => fieldKind === 'scalar' && scalar === ScalarType.STRING,
  );
  const lists = schema.fields.flatMap((field) =>
    field.fieldKind === 'list' && field.listKind === 'message'
      ? [{ name: field.name, localName: field.localName, find: nulFinder(field.message) }]
      : [],
  );
  return (values) => {
    for (const { name, localName } of texts) {
      const value = values[localName];
      if (typeof value === 'string' && value.includes('\0')) return name;
    }
    for (const { name, localName } of textLists) {
      const list = values[localName] as readonly string[];
      if (list.some((text) => text.includes('\0'))) return name;
    }
    for (const { name, localName, find } of lists) {
      for (const [i, item] of (
        values[localName] as Readonly<Record<string, unknown>>[]
      ).entries()) {
        const field = find(item);
        if (field !== undefined) return `${name}[${i}].${field}`;
      }
    }
    return undefined;
  };
}

type LongList = { readonly field: string; readonly max: number };

/** Returns a list with more items than its rules allow, also one within a list of messages. */
function longListFinder(schema: DescMessage): (values: Values) => LongList | undefined {
  const lists = schema.fields.flatMap((field) => {
    if (field.fieldKind !== 'list') return [];
    const { type } = getOption(field, fieldRules);
    const max = type.case === 'repeated' ? Number(type.value.maxItems) : 0;
    const find = field.listKind === 'message' ? longListFinder(field.message) : undefined;
    return [{ name: field.name, localName: field.localName, max, find }];
  });
  return (values) => {
    for (const { name, localName, max, find } of lists) {
      const items = values[localName] as readonly Values[];
      if (max > 0 && items.length > max) return { field: name, max };
      if (find === undefined) continue;
      for (const [i, item] of items.entries()) {
        const found = find(item);
        if (found !== undefined) return { ...found, field: `${name}[${i}].${found.field}` };
      }
    }
    return undefined;
  };
}

/**
 * Returns the path of a time with nanos that timestamp.proto does not allow. JSON cannot express
 * one, and the rules of protovalidate compare it without a look at the range.
 */
function timeFinder(schema: DescMessage): FindField {
  const finders = schema.fields.flatMap(({ name, localName, fieldKind, message }) => {
    if (fieldKind === 'map') return [];
    if (message?.typeName === TimestampSchema.typeName) {
      return [{ name, localName, find: findNanos }];
    }
    if (!isObjectMessage(message)) return [];
    // Made at the first use, because a message may contain its own type.
    let made: FindField | undefined;
    const find: FindField = (values) => {
      made ??= timeFinder(message);
      return made(values);
    };
    return [{ name, localName, find }];
  });
  return (values) => {
    for (const { name, localName, find } of finders) {
      const value = values[localName];
      const isList = Array.isArray(value);
      for (const [i, item] of (isList ? value : [value]).entries()) {
        const inner = item === undefined ? undefined : find(item as Values);
        if (inner !== undefined) return `${name}${isList ? `[${i}]` : ''}${inner && `.${inner}`}`;
      }
    }
    return undefined;
  };
}

/** The empty path stands for the time itself. */
function findNanos({ nanos }: Values): string | undefined {
  return Number(nanos) >= 0 && Number(nanos) <= 999_999_999 ? undefined : '';
}

type IsWithin = (values: Values) => boolean;

/**
 * A fast check for messages whose only rules are string lengths and those of lists that may be
 * empty; undefined for others. A list with values is left to the validator.
 */
function lengthCheck(schema: DescMessage): IsWithin | undefined {
  const fields = schema.fields.map((field) => {
    const rules = getOption(field, fieldRules);
    const bounds = field.fieldKind === 'list' ? emptyBounds(rules) : lengthBounds(rules);
    return bounds && { localName: field.localName, ...bounds };
  });
  const isPlain = schema.oneofs.length === 0 && !hasOption(schema, messageRules);
  if (!isPlain || !fields.every((field) => field !== undefined)) return undefined;
  return (values) =>
    fields.every(({ localName, min, max }) => {
      const value = values[localName];
      if (typeof value !== 'string' && !Array.isArray(value)) return false;
      // Bounds count characters; a character is one or two UTF-16 units.
      return value.length <= max && value.length >= 2 * min - 1;
    });
}

type LengthBounds = { readonly min: number; readonly max: number };

function lengthBounds(rules: FieldRules): LengthBounds | undefined {
  if (rules.type.case !== 'string') return undefined;
  const { minLen, maxLen } = StringRulesSchema.field;
  const { value } = rules.type;
  const bounds = {
    min: isFieldSet(value, minLen) ? Number(value.minLen) : 0,
    max: isFieldSet(value, maxLen) ? Number(value.maxLen) : Number.POSITIVE_INFINITY,
  };
  const others = clone(StringRulesSchema, value);
  clearField(others, minLen);
  clearField(others, maxLen);
  const none = create(FieldRulesSchema, { type: { case: 'string', value: {} } });
  const rest = { ...rules, type: { case: 'string' as const, value: others } };
  return equals(FieldRulesSchema, rest, none) ? bounds : undefined;
}

/** The bounds of an empty list, if its rules allow one. */
function emptyBounds(rules: FieldRules): LengthBounds | undefined {
  const { required, cel, type } = rules;
  const isEmptyAllowed = type.case === 'repeated' && type.value.minItems === 0n;
  return isEmptyAllowed && !required && cel.length === 0 ? { min: 0, max: 0 } : undefined;
}

/** Corrects plural forms: protovalidate writes `1 characters` and `1 item(s)`. */
export function correctPlurals(message: string): string {
  return message
    .replace('no more than', 'at most')
    .replace('item(s)', 'items')
    .replace(/(?<= 1 (?:byte|character|item))s\b/, '');
}

/** The path of proto names. It has the index of a message in a list, but not that of a value. */
function fieldOf({ field }: Violation): string {
  return field
    .map((part, i) => {
      if ('name' in part) return i === 0 ? part.name : `.${part.name}`;
      return part.kind === 'list_sub' && i < field.length - 1 ? `[${part.index}]` : '';
    })
    .join('');
}
