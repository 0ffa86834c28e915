// Checks a request against the bounds of its proto (buf.validate).
import {
  clearField,
  clone,
  create,
  type DescField,
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
import { explainPattern } from './pattern-details.ts';

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
  const findProblem = problemFinder(schema);
  const isWithin = lengthCheck(schema);
  return (request) => {
    // A message is a plain object, keyed by local field names.
    const values = request as unknown as Values;
    const problem = findProblem(values);
    if (problem !== undefined) throw invalid(problem.path, problem.detail);
    return isWithin?.(values) ? undefined : validate(request);
  };

  async function validate(request: Message): Promise<void> {
    const validator = await loadValidator();
    const result = validator.validate(schema, request);
    if (result.kind === 'error') throw result.error;
    if (result.kind === 'valid') return;
    const fields = result.violations.slice(0, violationsMax).map((violation) => ({
      field: fieldOf(violation),
      detail: correctPlurals(explainPattern(violation.message)),
    }));
    const others = result.violations.length - fields.length;
    const details = fields.map((error) => `${error.field}: ${error.detail}`);
    if (others > 0) details.push(`${others} more`);
    throw fail('invalid_argument', details.join('; '), { fields });
  }
}

type Values = Readonly<Record<string, unknown>>;

/** `path` follows the name of the field: that of a member of the field, or empty. */
type Problem = { readonly path: string; readonly detail: string };

type Find<V> = (value: V) => Problem | undefined;

/** Finds what no field of any method allows, or what the validator would take long to find. */
function problemFinder(schema: DescMessage): Find<Values> {
  const finders = schema.fields.flatMap((field) => {
    const find = fieldFinder(field);
    return find === undefined ? [] : [{ name: field.name, localName: field.localName, find }];
  });
  return (values) => {
    for (const { name, localName, find } of finders) {
      const problem = find(values[localName]);
      if (problem !== undefined) return { ...problem, path: name + problem.path };
    }
    return undefined;
  };
}

function fieldFinder(field: DescField): Find<unknown> | undefined {
  if (field.fieldKind === 'map') return undefined;
  const find = valueFinder(field);
  if (field.fieldKind !== 'list') return find;
  const { type } = getOption(field, fieldRules);
  const max = type.case === 'repeated' ? Number(type.value.maxItems) : 0;
  return (value) => {
    const items = value as readonly unknown[];
    // The validator would examine each item, although the list is too long.
    if (max > 0 && items.length > max) {
      return { path: '', detail: `must contain at most ${max} items` };
    }
    if (find === undefined) return undefined;
    for (const [i, item] of items.entries()) {
      const problem = find(item);
      if (problem === undefined) continue;
      return field.listKind === 'message' ? { ...problem, path: `[${i}]${problem.path}` } : problem;
    }
    return undefined;
  };
}

function valueFinder({ scalar, message }: DescField): Find<unknown> | undefined {
  if (scalar === ScalarType.STRING) return findNul;
  if (message?.typeName === TimestampSchema.typeName) return findNanos;
  if (!isObjectMessage(message)) return undefined;
  // Made at the first use, because a message may contain its own type.
  let find: Find<Values> | undefined;
  return (value) => {
    if (value === undefined) return undefined;
    find ??= problemFinder(message);
    const problem = find(value as Values);
    return problem && { ...problem, path: `.${problem.path}` };
  };
}

/** PostgreSQL cannot store NUL in a text, and no name or id needs it. */
const findNul: Find<unknown> = (value) =>
  typeof value === 'string' && value.includes('\0')
    ? { path: '', detail: 'must not contain NUL characters' }
    : undefined;

/** JSON cannot express such a time, and protovalidate does not look at the range of nanos. */
const findNanos: Find<unknown> = (value) => {
  const { nanos = 0 } = (value ?? {}) as { readonly nanos?: number };
  return nanos >= 0 && nanos <= 999_999_999
    ? undefined
    : { path: '', detail: 'must have nanos from 0 to 999,999,999' };
};

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
