// Parses the path templates of http rules (google.api.http).

/** A parsed template. A variable refers to a range of `segments`. */
export interface Template {
  readonly source: string;
  readonly segments: readonly Segment[];
  readonly verb?: string;
  readonly variables: readonly Variable[];
}

/** `text` is percent-decoded. `any` is `*`: one segment. `rest` is `**`: any number of segments. */
export type Segment =
  | { readonly kind: 'literal'; readonly text: string }
  | { readonly kind: 'any' }
  | { readonly kind: 'rest' };

export interface Variable {
  /** Dotted proto field names, such as `sub.subfield`. */
  readonly fieldPath: string;
  readonly start: number;
  /** Exclusive. Undefined if the variable ends in `**` and extends to the end of the path. */
  readonly end: number | undefined;
  /** Whether the value can have several segments. `%2F` then stays encoded. */
  readonly multiSegment: boolean;
}

/** The path `/`. The grammar of http rules has no template for it. */
export const rootTemplate: Template = { source: '/', segments: [], variables: [] };

/** Throws an Error that contains the template and the column of the mistake, from 1. */
export function parseTemplate(source: string): Template {
  const cursor: Cursor = { source, at: 0, segments: [], variables: [], insideVariable: false };
  const verb = parseWhole(cursor);
  const { segments, variables } = cursor;
  return verb === undefined
    ? { source, segments, variables }
    : { source, segments, verb, variables };
}

/** Undefined if the percent-encoding is malformed or is not UTF-8. */
export function percentDecode(text: string): string | undefined {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

// The grammar, from google/api/http.proto, with one function for each production:
//
//     Template = "/" Segments [ Verb ] ;
//     Segments = Segment { "/" Segment } ;
//     Segment  = "*" | "**" | LITERAL | Variable ;
//     Variable = "{" FieldPath [ "=" Segments ] "}" ;
//     FieldPath = IDENT { "." IDENT } ;
//     Verb     = ":" LITERAL ;

interface Cursor {
  readonly source: string;
  at: number;
  readonly segments: Segment[];
  readonly variables: Variable[];
  insideVariable: boolean;
}

/** Template. Returns the verb. */
function parseWhole(cursor: Cursor): string | undefined {
  if (!skip(cursor, '/')) failExpecting(cursor, '"/"');
  parseSegments(cursor);
  const verb = parseVerb(cursor);
  if (cursor.at < cursor.source.length) {
    failExpecting(cursor, verb === undefined ? '"/", ":" or the end' : 'the end after the verb');
  }
  return verb;
}

function parseSegments(cursor: Cursor): void {
  do parseSegment(cursor);
  while (skip(cursor, '/'));
}

function parseSegment(cursor: Cursor): void {
  if (cursor.segments.at(-1)?.kind === 'rest') {
    fail(cursor, cursor.at, 'only a verb may follow "**"');
  }
  if (skip(cursor, '**')) cursor.segments.push({ kind: 'rest' });
  else if (skip(cursor, '*')) cursor.segments.push({ kind: 'any' });
  else if (cursor.source[cursor.at] === '{') parseVariable(cursor);
  else cursor.segments.push({ kind: 'literal', text: parseLiteral(cursor, 'a segment') });
}

function parseVariable(cursor: Cursor): void {
  if (cursor.insideVariable) fail(cursor, cursor.at, 'a variable must not contain another');
  skip(cursor, '{');
  const fieldPath = parseFieldPath(cursor);
  const start = cursor.segments.length;
  if (skip(cursor, '=')) {
    cursor.insideVariable = true;
    parseSegments(cursor);
    cursor.insideVariable = false;
  } else {
    cursor.segments.push({ kind: 'any' });
  }
  if (!skip(cursor, '}')) failExpecting(cursor, '"}"');
  const openEnded = cursor.segments.at(-1)?.kind === 'rest';
  const length = cursor.segments.length - start;
  cursor.variables.push({
    fieldPath,
    start,
    end: openEnded ? undefined : start + length,
    multiSegment: openEnded || length > 1,
  });
}

function parseFieldPath(cursor: Cursor): string {
  const start = cursor.at;
  do parseIdent(cursor);
  while (skip(cursor, '.'));
  const fieldPath = cursor.source.slice(start, cursor.at);
  if (cursor.variables.some((variable) => variable.fieldPath === fieldPath)) {
    fail(cursor, start, `the field path "${fieldPath}" occurs twice`);
  }
  return fieldPath;
}

function parseVerb(cursor: Cursor): string | undefined {
  return skip(cursor, ':') ? parseLiteral(cursor, 'a verb') : undefined;
}

/** IDENT is an identifier of the proto language. */
function parseIdent(cursor: Cursor): void {
  if (take(cursor, /[A-Za-z_][A-Za-z0-9_]*/y) === '') failExpecting(cursor, 'a field name');
}

/** LITERAL is RFC 3986 §3.3 pchar without the characters of the grammar. Returns it decoded. */
function parseLiteral(cursor: Cursor, expected: string): string {
  const start = cursor.at;
  const encoded = take(cursor, /[A-Za-z0-9\-._~!$&'()+,;=@%]+/y);
  if (encoded === '') failExpecting(cursor, expected);
  const text = percentDecode(encoded);
  if (text === undefined) fail(cursor, start, `malformed percent-encoding in "${encoded}"`);
  return text;
}

function skip(cursor: Cursor, token: string): boolean {
  if (!cursor.source.startsWith(token, cursor.at)) return false;
  cursor.at += token.length;
  return true;
}

function take(cursor: Cursor, sticky: RegExp): string {
  sticky.lastIndex = cursor.at;
  const text = sticky.exec(cursor.source)?.[0] ?? '';
  cursor.at += text.length;
  return text;
}

function failExpecting(cursor: Cursor, expected: string): never {
  const next = cursor.source.codePointAt(cursor.at);
  const found = next === undefined ? 'the end' : `"${String.fromCodePoint(next)}"`;
  fail(cursor, cursor.at, `expected ${expected}, found ${found}`);
}

function fail(cursor: Cursor, at: number, problem: string): never {
  throw new Error(`path template "${cursor.source}" is wrong at column ${at + 1}: ${problem}`);
}
