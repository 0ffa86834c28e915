// Messages of plain scalars, which most requests and answers are, read and written without
// reflection. Whatever is unusual is left to the general way, which alone says what is wrong.
import {
  create,
  type DescField,
  type DescMessage,
  type JsonObject,
  type JsonValue,
  type Message,
  ScalarType,
} from '@bufbuild/protobuf';
import { getTextEncoding } from '@bufbuild/protobuf/wire';
import { FeatureSet_FieldPresence } from '@bufbuild/protobuf/wkt';

export type FlatMessages = {
  /** The message of a JSON object; undefined where the general way has to decide. */
  read(json: JsonObject): Message | undefined;
  /** The JSON of a message, with every field; undefined as for `read`. */
  write(message: Message): JsonObject | undefined;
};

type FlatField = Pick<DescField, 'name' | 'localName' | 'jsonName' | 'number'> & {
  /** Whether it is a value of the field, in a message and in JSON alike. */
  readonly fits: (value: unknown) => boolean;
};

const values: Partial<Record<ScalarType, FlatField['fits']>> = {
  [ScalarType.STRING]: (value) => typeof value === 'string' && getTextEncoding().checkUtf8(value),
  [ScalarType.BOOL]: (value) => typeof value === 'boolean',
  [ScalarType.UINT32]: (value) => Number.isInteger(value) && Number(value) >>> 0 === value,
};

/** Undefined for a message that has other fields than strings, booleans and uint32. */
export function flatMessages(schema: DescMessage): FlatMessages | undefined {
  const fields = schema.fields.map(flatField);
  if (!fields.every((field) => field !== undefined)) return undefined;
  fields.sort((a, b) => a.number - b.number);
  const empty = create(schema);
  const named = new Map<string, FlatField>();
  for (const field of fields) named.set(field.jsonName, field).set(field.name, field);
  return {
    read(json) {
      const message: Record<string, unknown> = { ...empty };
      const given = new Set<FlatField>();
      for (const name of Object.keys(json)) {
        const field = named.get(name);
        if (field === undefined || given.has(field) || !field.fits(json[name])) return undefined;
        given.add(field);
        message[field.localName] = json[name];
      }
      return message as unknown as Message;
    },
    write(message) {
      const fieldValues = message as unknown as Readonly<Record<string, JsonValue>>;
      const json: JsonObject = {};
      for (const { name, localName, fits } of fields) {
        const value = fieldValues[localName];
        if (value === undefined || !fits(value)) return undefined;
        json[name] = value;
      }
      return json;
    },
  };
}

function flatField(field: DescField): FlatField | undefined {
  if (field.fieldKind !== 'scalar' || field.presence !== FeatureSet_FieldPresence.IMPLICIT) {
    return undefined;
  }
  const { name, localName, jsonName, number } = field;
  const fits = values[field.scalar];
  return fits && { name, localName, jsonName, number, fits };
}
