// Lets `JSON.stringify` write messages. Times contain 64-bit integers, which it would refuse.
import { type DescMessage, type Message, toJson } from '@bufbuild/protobuf';

/**
 * Gives a message, and the messages in it, a hidden `toJSON` that returns its JSON form (ProtoJSON,
 * https://protobuf.dev/programming-guides/json/): times are texts in RFC 3339.
 */
export function makeReadable<M extends Message>(schema: DescMessage, message: M): M {
  Object.defineProperty(message, 'toJSON', { value: () => toJson(schema, message) });
  const values = message as unknown as Readonly<Record<string, unknown>>;
  for (const field of schema.fields) {
    if (field.message === undefined || field.oneof !== undefined) continue;
    const value = values[field.localName];
    const nested = Array.isArray(value) ? value : [value];
    for (const one of nested) {
      if (isMessage(one, field.message)) makeReadable(field.message, one);
    }
  }
  for (const { localName } of schema.oneofs) {
    const { case: name, value } = (values[localName] ?? {}) as { case?: string; value?: unknown };
    const field = schema.fields.find((one) => one.localName === name);
    if (field?.message !== undefined && isMessage(value, field.message)) {
      makeReadable(field.message, value);
    }
  }
  return message;
}

/** Maps of messages and wrapped values are plain objects. */
function isMessage(value: unknown, { typeName }: DescMessage): value is Message {
  return typeof value === 'object' && value !== null && '$typeName' in value
    ? value.$typeName === typeName
    : false;
}
