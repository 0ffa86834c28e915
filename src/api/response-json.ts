// The JSON of a response over HTTP, which the command line also prints.
import {
  type DescMessage,
  getOption,
  hasOption,
  type JsonValue,
  type Message,
  ScalarType,
  toJson,
} from '@bufbuild/protobuf';
import { omit_defaults_unless as conditionOption } from '../../gen/latchkey/options/v1/http_pb.js';

const writeOptions = { alwaysEmitImplicit: true, useProtoFieldName: true } as const;

export function responseJson(desc: DescMessage, message: Message): JsonValue {
  const condition = conditionOf(desc);
  // A message is a plain object, keyed by local field names.
  const values = message as unknown as Readonly<Record<string, unknown>>;
  if (condition === undefined || values[condition.localName] === true) {
    return toJson(desc, message, writeOptions);
  }
  const json = toJson(desc, message, { useProtoFieldName: true });
  return Object.assign({ [condition.name]: false }, json);
}

type Condition = DescMessage['fields'][number] | undefined;

const conditions = new WeakMap<DescMessage, { readonly field: Condition }>();

export function conditionOf(desc: DescMessage): Condition {
  let known = conditions.get(desc);
  if (known === undefined) {
    known = { field: readCondition(desc) };
    conditions.set(desc, known);
  }
  return known.field;
}

function readCondition(desc: DescMessage): Condition {
  if (!hasOption(desc, conditionOption)) return undefined;
  const name = getOption(desc, conditionOption);
  const field = desc.fields.find((candidate) => candidate.name === name);
  if (field?.fieldKind === 'scalar' && field.scalar === ScalarType.BOOL) return field;
  throw new Error(`${desc.typeName}: omit_defaults_unless "${name}" must be a bool field`);
}
