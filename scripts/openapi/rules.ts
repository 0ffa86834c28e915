// Converts the bounds of a field (buf.validate) to keywords of JSON Schema.
import { type DescEnum, type DescField, getOption, isFieldSet } from '@bufbuild/protobuf';
import { reflect } from '@bufbuild/protobuf/reflect';
import {
  type FieldRules,
  FieldRulesSchema,
  field as fieldRules,
  Ignore,
  StringRulesSchema,
} from '@bufbuild/protovalidate/gen/buf/validate/validate_pb.js';
import type { Schema } from './schema.ts';

/** The keywords of a field, and of the items of a list or a map. Throws for an unknown rule. */
export function keywordsOf(field: DescField): Keywords {
  return keywordsOfRules(getOption(field, fieldRules), field.enum);
}

type Keywords = { own: Schema; items: Schema };

function keywordsOfRules(rules: FieldRules, values: DescEnum | undefined): Keywords {
  const { value, case: kind } = rules.type;
  const isOptional = rules.ignore === Ignore.IF_ZERO_VALUE;
  switch (kind) {
    case undefined:
    case 'timestamp':
    case 'fieldMask':
      return { own: {}, items: {} };
    case 'repeated': {
      const own = keywords(rules, repeatedKeywords);
      const items = value.items === undefined ? {} : keywordsOfRules(value.items, values).own;
      return { own: value.unique ? { ...own, uniqueItems: true } : own, items };
    }
    case 'map': {
      const own = keywords(rules, mapKeywords);
      const of = (inner?: FieldRules) => (inner ? keywordsOfRules(inner, values).own : {});
      return { own: { ...own, propertyNames: of(value.keys) }, items: of(value.values) };
    }
    case 'string': {
      const own = keywords(rules, stringKeywords);
      if (isFieldSet(value, StringRulesSchema.field.maxBytes)) {
        // A character has at least one byte.
        own.maxLength = Math.min(Number(own.maxLength ?? value.maxBytes), Number(value.maxBytes));
      }
      if (value.in.length > 0) own.enum = value.in;
      if (value.wellKnown.case === 'email' && value.wellKnown.value) own.format = 'email';
      if (isOptional && typeof own.pattern === 'string') own.pattern = `^$|${own.pattern}`;
      return { own, items: {} };
    }
    case 'bytes':
      return { own: keywords(rules, { minLen: '', maxLen: '' }), items: {} };
    case 'enum': {
      keywords(rules, { definedOnly: '', in: '', notIn: '' });
      const permitted = values?.values
        .filter(({ number }) => !value.notIn.includes(number))
        .filter(({ number }) => value.in.length === 0 || value.in.includes(number));
      return { own: { enum: permitted?.map(({ name }) => name) }, items: {} };
    }
    case 'uint32':
    case 'int32':
    case 'double':
      return { own: keywords(rules, numberKeywords), items: {} };
    default:
      throw new Error(`the OpenAPI document does not support the rules of ${kind}`);
  }
}

const stringKeywords = {
  ...{ minLen: 'minLength', maxLen: 'maxLength', pattern: 'pattern' },
  ...{ in: '', maxBytes: '', email: '' },
};
const repeatedKeywords = { minItems: 'minItems', maxItems: 'maxItems', unique: '', items: '' };
const mapKeywords = { maxPairs: 'maxProperties', keys: '', values: '' };
const numberKeywords = {
  ...{ gte: 'minimum', lte: 'maximum', gt: 'exclusiveMinimum', lt: 'exclusiveMaximum' },
  finite: '',
};

/** The keywords of the set rules. An empty keyword means that the caller converts the rule. */
function keywords(rules: FieldRules, known: Readonly<Record<string, string>>): Schema {
  const { case: kind } = rules.type;
  const desc = FieldRulesSchema.fields.find(({ localName }) => localName === kind)?.message;
  if (desc === undefined || rules.type.value === undefined) return {};
  const values = reflect(desc, rules.type.value);
  const own: Schema = {};
  for (const field of desc.fields) {
    if (!values.isSet(field)) continue;
    const keyword = known[field.localName];
    if (keyword === undefined) {
      throw new Error(`the OpenAPI document does not support the rule ${kind}.${field.name}`);
    }
    const value = values.get(field);
    if (keyword !== '') own[keyword] = typeof value === 'bigint' ? Number(value) : value;
  }
  return own;
}

/** The paths that a field mask accepts, or none if it accepts all. */
export function maskPathsOf(field: DescField): readonly string[] {
  const { type } = getOption(field, fieldRules);
  return type.case === 'fieldMask' ? type.value.in : [];
}
