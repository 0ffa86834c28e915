/** Adds line breaks and indentation to JSON. Keeps the digits of every number. */

const token = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]|[^\s"{}[\],:]+/g;

/** A deeply nested file could otherwise fill the memory with spaces. */
const depthMax = 50;
const lengthMax = 8 * 1024 * 1024;

/** Returns undefined if the text is not JSON, or too long with indentation. */
export function formatJson(text: string): string | undefined {
  try {
    JSON.parse(text);
  } catch {
    return undefined;
  }
  const lines: string[] = [];
  let line = '';
  let depth = 0;
  let length = 0;
  const breakLine = () => {
    lines.push(line);
    length += line.length;
    line = '  '.repeat(Math.min(depth, depthMax));
  };
  let previous = '';
  for (const [part] of text.matchAll(token)) {
    const opens = previous === '{' || previous === '[';
    if (part === '}' || part === ']') {
      depth--;
      if (!opens) breakLine();
    } else if (opens) {
      breakLine();
    }
    line += part === ':' ? ': ' : part;
    if (part === '{' || part === '[') depth++;
    if (part === ',') breakLine();
    if (length > lengthMax) return undefined;
    previous = part;
  }
  return [...lines, line].join('\n');
}
