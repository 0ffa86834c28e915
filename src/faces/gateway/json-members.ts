// JSON.parse takes the last of two members of one name. A parameter must not be given twice
// (RFC 6749 §3.2): what stands before this server may have judged the first.
import type { JsonValue } from '@bufbuild/protobuf';

/** Whether an object of a JSON text, which `value` was parsed from, has a name twice. */
export function hasRepeatedName(text: string, value: JsonValue): boolean {
  return writtenNames(text) !== keptNames(value);
}

/** Counts the strings of a valid JSON text that a colon follows. */
function writtenNames(text: string): number {
  let count = 0;
  let at = text.indexOf('"');
  while (at !== -1) {
    let end = text.indexOf('"', at + 1);
    while (isEscaped(text, end)) end = text.indexOf('"', end + 1);
    let next = end + 1;
    while (isSpace(text.charCodeAt(next))) next++;
    if (text.charAt(next) === ':') count++;
    at = text.indexOf('"', next);
  }
  return count;
}

function isEscaped(text: string, at: number): boolean {
  let first = at;
  while (text.charAt(first - 1) === '\\') first--;
  return (at - first) % 2 === 1;
}

/** RFC 8259 §2 */
function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

/** Goes about without recursion: a text may be nested deeper than the stack is. */
function keptNames(whole: JsonValue): number {
  let count = 0;
  const left = [whole];
  for (let value = left.pop(); value !== undefined; value = left.pop()) {
    if (typeof value !== 'object' || value === null) continue;
    const inner = Object.values(value);
    if (!Array.isArray(value)) count += inner.length;
    for (const one of inner) if (typeof one === 'object' && one !== null) left.push(one);
  }
  return count;
}
