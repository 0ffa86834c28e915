// JSON.parse uses the last of two members with the same key. Duplicate parameters are not permitted
// (RFC 6749 §3.2), because a proxy may have checked the first one.
import type { JsonValue } from '@bufbuild/protobuf';

/** Whether the JSON text, from which `value` was parsed, contains a duplicate key. */
export function hasRepeatedName(text: string, value: JsonValue): boolean {
  return writtenStrings(text) !== keptStrings(value);
}

/** The number of strings in a valid JSON text: keys and values. */
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
