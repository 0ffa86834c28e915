// The schemas of messages as ProtoJSON writes them: proto names in responses, and all fields with
// default values.
import {
  create,
  type DescEnum,
  type DescField,
  type DescMessage,
  ScalarType,
} from '@bufbuild/protobuf';
import { protoCamelCase } from '@bufbuild/protobuf/reflect';
import { FeatureSet_FieldPresence } from '@bufbuild/protobuf/wkt';
import { createValidator } from '@bufbuild/protovalidate';
import { isObjectMessage } from '../../src/api/json-members.ts';
import { conditionOf } from '../../src/api/response-json.ts';
import { services } from '../../src/api/services.ts';
import type { Comments } from './comments.ts';
import { keywordsOf, maskPathsOf } from './rules.ts';

/** A JSON Schema, or another object of the document. */
export type Schema = { [keyword: string]: unknown };

export type Direction = 'request' | 'response';

export type Schemas = {
  /** The named schemas so far. */
  readonly components: Readonly<Record<string, Schema>>;
  /** The schema of a field's value, without its description. */
  value(field: DescField, direction: Direction): Schema;
  /** A reference to the schema of a message. */
  reference(message: DescMessage, direction: Direction): Schema;
  /** Adds the schema of a request body: a message without the fields of the path. */
  body(message: DescMessage, options: BodyOptions): Schema;
  /** The schema of a field with its description. */
  property(field: DescField, direction: Direction): Schema;
};

export type BodyOptions = {
  /** The fields that are not in the body. */
  readonly without: readonly string[];
  /** Fields that may be missing although their rules require a value. */
  readonly optional?: readonly string[];
  /** Whether null clears a field. */
  readonly isPatch?: boolean;
  /** Replaces the name of the message. */
  readonly name?: string;
};

/** The names of messages in more than one package. */
const ambiguous = new Set<string>();
const packages = new Map<string, string>();
for (const { file } of Object.values(services)) {
  for (const { name } of file.messages) {
    if ((packages.get(name) ?? file.proto.package) !== file.proto.package) ambiguous.add(name);
    packages.set(name, file.proto.package);
  }
}

/** `CustomerApiKey` and `WorkspaceApiKey` have the same name in their packages. */
const prefixes: Readonly<Record<string, string>> = {
  'latchkey.identity.v1': 'Customer',
  'latchkey.sharing.v1': 'Workspace',
};

/** The name of a message in the document. */
export function schemaNameOf({ name, file }: DescMessage): string {
  if (!ambiguous.has(name)) return name;
  if (!name.includes('ApiKey')) throw new Error(`two packages have the message ${name}`);
  return `${prefixes[file.proto.package]}${name}`;
}

const validator = createValidator();

/** The names of the fields that a request must contain. */
export function requiredFields(message: DescMessage): string[] {
  const { violations = [] } = validator.validate(message, create(message));
  const names = violations.map(({ field: [first] }) =>
    first !== undefined && 'name' in first ? first.name : '',
  );
  return message.fields.map(({ name }) => name).filter((name) => names.includes(name));
}

export function createSchemas(comments: Comments): Schemas {
  const components: Record<string, Schema> = {};

  function reference(message: DescMessage, direction: Direction): Schema {
    const own = schemaNameOf(message);
    const name = direction === 'request' ? `${own}Input` : own;
    if (components[name] === undefined) {
      components[name] = {};
      components[name] = objectOf(message, direction, { without: [] });
    }
    return { $ref: `#/components/schemas/${name}` };
  }

  function body(message: DescMessage, options: BodyOptions): Schema {
    const name = options.name ?? schemaNameOf(message);
    if (components[name] !== undefined) throw new Error(`two schemas have the name ${name}`);
    components[name] = objectOf(message, 'request', options);
    return { $ref: `#/components/schemas/${name}` };
  }

  function objectOf(message: DescMessage, direction: Direction, options: BodyOptions): Schema {
    const { without, optional = [], isPatch = false } = options;
    const fields = message.fields.filter(({ name }) => !without.includes(name));
    const required =
      direction === 'request'
        ? requiredFields(message).filter((name) => !optional.includes(name))
        : writtenFields(message);
    const listed = required.filter((name) => !without.includes(name));
    const properties = fields.map((field) => {
      const schema = property(field, direction);
      const mayBeNull = isPatch && !listed.includes(field.name);
      return [field.name, mayBeNull ? nullable(schema) : schema];
    });
    return {
      type: 'object',
      description: comments.of(message.typeName),
      properties: Object.fromEntries(properties),
      ...(listed.length === 0 ? {} : { required: listed }),
      // An unknown member of a request is an error. Responses may get new members.
      ...(direction === 'request' ? { additionalProperties: false } : {}),
    };
  }

  function property(field: DescField, direction: Direction): Schema {
    const description = comments.of(`${field.parent.typeName}.${field.name}`);
    const isDeprecated = field.proto.options?.deprecated === true;
    const values = field.enum === undefined ? '' : `\n\n${enumText(field.enum, comments)}`;
    return {
      ...value(field, direction),
      description: description + values,
      ...(isDeprecated ? { deprecated: true } : {}),
    };
  }

  function value(field: DescField, direction: Direction): Schema {
    const { own, items } = direction === 'request' ? keywordsOf(field) : { own: {}, items: {} };
    switch (field.fieldKind) {
      case 'list':
        return { type: 'array', items: { ...single(field, direction), ...items }, ...own };
      case 'map':
        return {
          type: 'object',
          additionalProperties: { ...single(field, direction), ...items },
          ...own,
        };
      default:
        return { ...single(field, direction), ...own };
    }
  }

  function single(field: DescField, direction: Direction): Schema {
    if (field.message !== undefined) {
      if (isObjectMessage(field.message)) return reference(field.message, direction);
      return wellKnown(field, field.message);
    }
    if (field.enum !== undefined) {
      return { type: 'string', enum: field.enum.values.map(({ name }) => name) };
    }
    const isSecret = field.proto.options?.debugRedact === true && direction === 'request';
    const schema = scalars[field.scalar ?? ScalarType.STRING];
    if (schema === undefined) throw new Error(`${field.name} has an unsupported type`);
    return isSecret ? { ...schema, format: 'password' } : schema;
  }

  return { components, value, reference, body, property };
}

/** The names of the fields that every response contains. */
function writtenFields(message: DescMessage): string[] {
  const condition = conditionOf(message);
  if (condition !== undefined) return [condition.name];
  return message.fields.filter(isAlwaysWritten).map(({ name }) => name);
}

function isAlwaysWritten({ presence }: DescField): boolean {
  return presence === FeatureSet_FieldPresence.IMPLICIT;
}

function nullable({ description, ...schema }: Schema): Schema {
  if (typeof schema.type === 'string') {
    const values = Array.isArray(schema.enum) ? { enum: [...schema.enum, null] } : {};
    return { ...schema, type: [schema.type, 'null'], ...values, description };
  }
  return { anyOf: [schema, { type: 'null' }], description };
}

function enumText(desc: DescEnum, comments: Comments): string {
  return desc.values
    .map(({ name }) => `- \`${name}\`: ${comments.of(`${desc.typeName}.${name}`)}`)
    .join('\n');
}

/** ProtoJSON writes 64-bit integers as text, because a JavaScript number cannot hold them. */
const bigInteger = (format: string) => ({ type: 'string', format, pattern: '^-?[0-9]+$' });

const scalars: Partial<Record<ScalarType, Schema>> = {
  [ScalarType.STRING]: { type: 'string' },
  [ScalarType.BOOL]: { type: 'boolean' },
  [ScalarType.BYTES]: { type: 'string', contentEncoding: 'base64' },
  [ScalarType.DOUBLE]: { type: 'number', format: 'double' },
  [ScalarType.FLOAT]: { type: 'number', format: 'float' },
  [ScalarType.INT32]: { type: 'integer', format: 'int32' },
  [ScalarType.UINT32]: { type: 'integer', format: 'uint32', minimum: 0, maximum: 4294967295 },
  [ScalarType.INT64]: bigInteger('int64'),
  [ScalarType.UINT64]: bigInteger('uint64'),
};

/** The messages whose JSON is not an object with a member for each field. */
function wellKnown(field: DescField, { typeName }: DescMessage): Schema {
  switch (typeName) {
    case 'google.protobuf.Timestamp':
      return { type: 'string', format: 'date-time' };
    case 'google.protobuf.Struct':
      return { type: 'object', additionalProperties: true };
    case 'google.protobuf.Duration':
      return { type: 'string', pattern: '^-?[0-9]+(\\.[0-9]+)?s$' };
    case 'google.protobuf.FieldMask': {
      const paths = maskPathsOf(field).map(protoCamelCase).join('|');
      return paths === ''
        ? { type: 'string' }
        : { type: 'string', pattern: `^((${paths})(,(${paths}))*)?$` };
    }
    default:
      throw new Error(`the OpenAPI document does not support ${typeName}`);
  }
}
