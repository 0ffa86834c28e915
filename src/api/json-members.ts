// The members of JSON objects and the fields that they set. A request may set each field only once
// (RFC 6749 §3.2), because a proxy may have checked the other value. JSON.parse uses the last of
// two members with the same key.
import type { DescField, DescMessage, JsonValue } from '@bufbuild/protobuf';

const namesOf = new WeakMap<DescMessage, ReadonlyMap<string, DescField>>();

/** Returns a field by either of its names, `document_id` or `documentId`. */
export function fieldNamed(message: DescMessage, name: string): DescField | undefined {
  let names = namesOf.get(message);
  if (names === undefined) {
    names = new Map(
      message.fields.flatMap((field) => [
        [field.jsonName, field],
        [field.name, field],
      ]),
    );
    namesOf.set(message, names);
  }
  return names.get(name);
}

export function isObjectMessage(message: DescMessage | undefined): message is DescMessage {
  return message !== undefined && !message.typeName.startsWith('google.protobuf.');
}

/** Whether the JSON text, from which `value` was parsed, contains a duplicate key. */
export function hasRepeatedName(text: string, value: JsonValue): boolean {
  return writtenStrings(text) !== keptStrings(value);
}

/**
 * Returns the path of a member that decoding would lose: in a plain object, such as the library
 * makes for a map, `__proto__` names the prototype.
 */
export function findLostMember(value: JsonValue, parent = ''): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const isList = Array.isArray(value);
  for (const [name, item] of Object.entries(value)) {
    const path = isList ? parent : `${parent && `${parent}.`}${name.slice(0, 64)}`;
    const lost = name === '__proto__' ? path : findLostMember(item, path);
    if (lost !== undefined) return lost;
  }
  return undefined;
}

function writtenStrings(text: string): number {
  if (text.includes('\\')) return text.match(/"[^"\\]*(?:\\.[^"\\]*)*"/g)?.length ?? 0;
  let quotes = 0;
  for (let at = text.indexOf('"'); at !== -1; at = text.indexOf('"', at + 1)) quotes++;
  return quotes / 2;
}

/** The number of strings in a value. Not recursive, because a text may exhaust the stack. */
function keptStrings(value: JsonValue): number {
  let count = 0;
  const left: (JsonValue | undefined)[] = [value];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (typeof next === 'string') count++;
    else if (Array.isArray(next)) for (const item of next) left.push(item);
    else if (next !== null && typeof next === 'object') {
      for (const name of Object.keys(next)) {
        count++;
        left.push(next[name]);
      }
    }
  }
  return count;
}

type Place = { readonly path: string; readonly of: DescMessage | DescField | undefined };

type OpenValue = { readonly place: Place; readonly seen: Set<string> | undefined };

/** Returns the path of the first field that a valid JSON text sets twice, by either name. */
export function findRepeatedField(text: string, root: DescMessage | DescField): string | undefined {
  const whole = root.kind === 'field' ? placeOf(root, '') : { path: '', of: root };
  let place = whole;
  let previous = '';
  const open: OpenValue[] = [];
  for (const [token] of text.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]/g)) {
    const top = open.at(-1);
    const isKey = top?.seen !== undefined && (previous === '{' || previous === ',');
    if (token === '{' || token === '[') {
      // The items of a list have the list's place.
      const own = top !== undefined && top.seen === undefined ? top.place : place;
      open.push({ place: own, seen: token === '{' ? new Set() : undefined });
    } else if (token === '}' || token === ']') open.pop();
    else if (isKey) {
      const name: string = JSON.parse(token);
      const member = memberOf(top.place, name);
      if (top.seen.has(member.name)) return member.place.path;
      top.seen.add(member.name);
      place = member.place;
    }
    previous = token;
  }
  return undefined;
}

function memberOf({ path, of }: Place, key: string): { name: string; place: Place } {
  if (of === undefined) return { name: key, place: { path, of } };
  // The keys of a map are data of the caller.
  if (of.kind === 'field') return { name: key, place: { path, of: of.message } };
  const field = fieldNamed(of, key);
  const parent = path === '' ? '' : `${path}.`;
  if (field !== undefined) return { name: field.name, place: placeOf(field, parent) };
  return { name: key, place: { path: parent + key.slice(0, 64), of: undefined } };
}

function placeOf(field: DescField, parent: string): Place {
  const path = parent + field.name;
  if (!isObjectMessage(field.message)) return { path, of: undefined };
  return { path, of: field.fieldKind === 'map' ? field : field.message };
}
