// JSON.parse takes the last of two members of one name. A parameter must not be given twice
// (RFC 6749 §3.2): what stands before this server may have judged the first.
import type { JsonValue } from '@bufbuild/protobuf';

/** Whether an object of a JSON text, which `value` was parsed from, has a name twice. */
export function hasRepeatedName(text: string, value: JsonValue): boolean {
  return writtenNames(text) !== keptNames(value);
}

/** The strings of a valid JSON text, each with the colon that makes it a name. */
const strings = /"[^"\\]*(?:\\.[^"\\]*)*"\s*(:?)/g;

function writtenNames(text: string): number {
  let count = 0;
  for (const [, colon] of text.matchAll(strings)) if (colon === ':') count++;
  return count;
}

function keptNames(value: JsonValue): number {
  if (typeof value !== 'object' || value === null) return 0;
  const inner = Object.values(value);
  let count = Array.isArray(value) ? 0 : inner.length;
  for (const one of inner) count += keptNames(one ?? null);
  return count;
}
