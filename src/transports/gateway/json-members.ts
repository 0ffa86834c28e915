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
  for (let one = left.pop(); one !== undefined; one = left.pop()) {
    if (typeof one === 'string') count++;
    else if (Array.isArray(one)) for (const item of one) left.push(item);
    else if (one !== null && typeof one === 'object') {
      for (const name of Object.keys(one)) {
        count++;
        left.push(one[name]);
      }
    }
  }
  return count;
}
