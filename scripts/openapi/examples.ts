// Examples of messages. A test validates them against the schemas.
import { type DescField, type DescMessage, ScalarType } from '@bufbuild/protobuf';
import { isObjectMessage } from '../../src/api/json-members.ts';
import type { Comments } from './comments.ts';
import { requestExamples, texts } from './example-values.ts';
import { keywordsOf, maskPathsOf } from './rules.ts';
import { requiredFields, type Schema, schemaNameOf } from './schema.ts';

export type Examples = {
  /** A request body without the fields of the path. */
  request(message: DescMessage, without: readonly string[]): Schema;
  response(message: DescMessage): Schema;
};

export function createExamples(comments: Comments): Examples {
  return {
    request(message, without) {
      const given = requestExamples[schemaNameOf(message)];
      if (given !== undefined) return given;
      const names = requiredFields(message).filter((name) => !without.includes(name));
      const fields = message.fields.filter(({ name }) => names.includes(name));
      return objectOf(fields, comments, 0);
    },
    response: (message) => objectOf(message.fields, comments, 0),
  };
}

const leftOut = new Set(['revoke_time', 'delete_time']);

/** Members that the Ed25519 key of the example does not have. */
const otherKeys: Readonly<Record<string, readonly string[]>> = {
  PublicJwk: ['y', 'n', 'e', 'alg', 'use'],
  JsonWebKey: ['y', 'n', 'e'],
};

function objectOf(fields: readonly DescField[], comments: Comments, depth: number): Schema {
  const entries = fields.flatMap((field) => {
    const isLeftOut = leftOut.has(field.name) || field.message === field.parent || depth > 4;
    const isOfOtherKey = otherKeys[field.parent.name]?.includes(field.name) ?? false;
    return isLeftOut || isOfOtherKey ? [] : [[field.name, exampleOf(field, comments, depth)]];
  });
  return Object.fromEntries(entries);
}

/** An example of any field. */
export function exampleOf(field: DescField, comments: Comments, depth = 0): unknown {
  const value = single(field, comments, depth);
  if (field.fieldKind === 'map') return {};
  return field.fieldKind === 'list' ? (value === undefined ? [] : [value]) : value;
}

function single(field: DescField, comments: Comments, depth: number): unknown {
  const { message } = field;
  if (message !== undefined) {
    if (isObjectMessage(message)) return objectOf(message.fields, comments, depth + 1);
    const example = objects[field.name];
    if (example !== undefined) return example;
    return maskPathsOf(field)[0] ?? timeOf(field);
  }
  if (field.enum !== undefined) {
    const { own, items } = keywordsOf(field);
    const permitted = (own.enum ?? items.enum) as string[] | undefined;
    const names = permitted ?? field.enum.values.map(({ name }) => name);
    return names.find((name) => !name.endsWith('_UNSPECIFIED')) ?? names[0];
  }
  switch (field.scalar) {
    case ScalarType.BOOL:
      return trueFields.has(field.name);
    case ScalarType.STRING:
      return exampleText(field, comments);
    case ScalarType.BYTES:
      return 'aGVsbG8=';
    default:
      return numbers[field.name] ?? 1;
  }
}

/** Of fields that hold any object. */
const objects: Readonly<Record<string, object>> = {
  claims: { tenant: 'acme' },
  cnf: { jkt: '0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I' },
  options: { challenge: 'c2lnbmVk', rpId: 'latchkey.example', userVerification: 'required' },
  credential: { id: 'Zp2LcR8sWd4n3mKq7VbT9x', type: 'public-key', response: {} },
  jwks: { keys: [{ kty: texts.kty, crv: texts.crv, x: texts.x, kid: texts.kid }] },
};

const trueFields = new Set(['active', 'allowed', 'email_required', 'email_verified', 'enabled']);

const numbers: Readonly<Record<string, number>> = {
  ...{ expires_in: 300, size_bytes: 482113, page_count: 12, total_size: 1, view_count: 3 },
  ...{ iat: 1793612100, exp: 1793612400, auth_time: 1793612100, duration_ms: 42000 },
  ...{ completion: 0.75, overlap_seconds: 86400 },
};

function timeOf({ name }: DescField): string {
  if (name.startsWith('expire')) return '2027-03-01T00:00:00Z';
  return name.startsWith('last') ? '2026-11-03T14:12:45.120Z' : '2026-11-02T09:30:00Z';
}

/** An example of a text field: by its name, or an id with the prefix that its comment names. */
function exampleText(field: DescField, comments: Comments): string {
  const name = `${field.parent.typeName}.${field.name}`;
  const known = texts[`${schemaNameOf(field.parent)}.${field.name}`] ?? texts[field.name];
  if (known !== undefined) return known;
  const [, prefix] = /`([a-z]+_)` and 22 base62/.exec(comments.of(name)) ?? [];
  if (prefix !== undefined) return `${prefix}3mKq7VbT9xZp2LcR8sWd4n`;
  const { own } = keywordsOf(field);
  if (Array.isArray(own.enum)) return String(own.enum[0]);
  return field.name.replaceAll('_', ' ');
}
