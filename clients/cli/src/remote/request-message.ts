import { type DescMessage, fromJson, type JsonObject, type MessageShape } from '@bufbuild/protobuf';
import { CommandError } from '../base/command.ts';

/** Throws a CommandError that names the field or message if the message cannot have the JSON. */
export function requestMessage<T extends DescMessage>(type: T, json: JsonObject): MessageShape<T> {
  try {
    return fromJson(type, json);
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    const place = /^cannot decode (?:field|message) \S*\.(\w+) from JSON: /;
    throw new CommandError(text.replace(place, '$1: '));
  }
}
