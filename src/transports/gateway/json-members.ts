// JSON.parse takes the last of two members of one name. A parameter must not be given twice
// (RFC 6749 §3.2): what stands before this server may have judged the first.
import type { JsonValue } from '@bufbuild/protobuf';

/** Whether an object of a JSON text, which `value` was parsed from, has a name twice. */
export function hasRepeatedName(text: string, value: JsonValue): boolean {
  return writtenStrings(text) !== keptStrings(value);
}

/** How many strings a valid JSON text has, names and values. */
function writtenStrings(text: string): number {
  if (text.includes('\\')) return text.match(/"[^"\\]*(?:\\.[^"\\]*)*"/g)?.length ?? 0;
  let quotes = 0;
  for (let at = text.indexOf('"'); at !== -1; at = text.indexOf('"', at + 1)) quotes++;
  return quotes / 2;
}

/** How many a value has. Not by recursion: a text may nest deeper than the stack goes. */
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
