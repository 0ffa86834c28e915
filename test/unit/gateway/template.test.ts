import { describe, expect, test } from 'vitest';
import {
  parseTemplate,
  type Segment,
  type Template,
  type Variable,
} from '../../../src/transports/gateway/template.ts';
import { itHoldsFor } from '../../support/rule.ts';

function showSegment(segment: Segment): string {
  switch (segment.kind) {
    case 'literal':
      return segment.text;
    case 'any':
      return '*';
    case 'rest':
      return '**';
  }
}

function showVariable({ fieldPath, start, end, multiSegment }: Variable): string {
  return `${fieldPath} [${start}, ${end ?? 'end'})${multiSegment ? ' multi' : ''}`;
}

function show({ segments, verb, variables }: Template) {
  return {
    segments: segments.map(showSegment).join(' '),
    verb: verb ?? 'none',
    variables: variables.map(showVariable),
  };
}

describe('a valid template', () => {
  itHoldsFor([
    // template, segments, verb, variables
    ['/v1', 'v1', 'none', []],
    ['/v1/messages', 'v1 messages', 'none', []],
    ['/*', '*', 'none', []],
    ['/**', '**', 'none', []],
    ['/v1/*/b', 'v1 * b', 'none', []],
    ['/v1/*/b/**', 'v1 * b **', 'none', []],
    ['/v1:list', 'v1', 'list', []],
    ['/*:list', '*', 'list', []],
    ['/**:list', '**', 'list', []],
    ['/{a}', '*', 'none', ['a [0, 1)']],
    ['/{a=*}', '*', 'none', ['a [0, 1)']],
    ['/{a=b}', 'b', 'none', ['a [0, 1)']],
    ['/{a=**}', '**', 'none', ['a [0, end) multi']],
    ['/{a=b/*}', 'b *', 'none', ['a [0, 2) multi']],
    ['/{a=b/**}', 'b **', 'none', ['a [0, end) multi']],
    ['/{a=*/*}/c', '* * c', 'none', ['a [0, 2) multi']],
    ['/v1/{a}/**', 'v1 * **', 'none', ['a [1, 2)']],
    ['/v1/{a}:rotate', 'v1 *', 'rotate', ['a [1, 2)']],
    ['/v1/{a=b/**}:copy', 'v1 b **', 'copy', ['a [1, end) multi']],
    ['/{a}/{b}/{c=d/*}', '* * d *', 'none', ['a [0, 1)', 'b [1, 2)', 'c [2, 4) multi']],
    ['/v1/{name=messages/*}', 'v1 messages *', 'none', ['name [1, 3) multi']],
    [
      '/v1/messages/{message_id}/{sub.subfield}',
      'v1 messages * *',
      'none',
      ['message_id [2, 3)', 'sub.subfield [3, 4)'],
    ],
    ['/{a}/{a.b}/{a.b.c}', '* * *', 'none', ['a [0, 1)', 'a.b [1, 2)', 'a.b.c [2, 3)']],
    ['/{_a1.B_2}', '*', 'none', ['_a1.B_2 [0, 1)']],
    ['/.well-known/jwks.json', '.well-known jwks.json', 'none', []],
    ["/-._~!$&'()+,;=@", "-._~!$&'()+,;=@", 'none', []],
    ['/{a=b=c}', 'b=c', 'none', ['a [0, 1)']],
    ['/a%20b', 'a b', 'none', []],
    ['/a%3Ab', 'a:b', 'none', []],
    ['/a%2Fb', 'a/b', 'none', []],
    ['/caf%C3%A9:%64o', 'café', 'do', []],
  ])('is parsed', (source, segments, verb, variables) => {
    expect(show(parseTemplate(source))).toEqual({ segments, verb, variables });
  });

  test('is plain data that keeps its source', () => {
    expect(parseTemplate('/v1/{name=m/*}/**:go')).toEqual({
      source: '/v1/{name=m/*}/**:go',
      segments: [
        { kind: 'literal', text: 'v1' },
        { kind: 'literal', text: 'm' },
        { kind: 'any' },
        { kind: 'rest' },
      ],
      verb: 'go',
      variables: [{ fieldPath: 'name', start: 1, end: 3, multiSegment: true }],
    });
  });
});

describe('an invalid template', () => {
  itHoldsFor([
    // template, column, problem
    ['', 1, 'expected "/", found the end'],
    ['v1', 1, 'expected "/", found "v"'],
    ['{a}', 1, 'expected "/", found "{"'],
    ['/', 2, 'expected a segment, found the end'],
    ['//a', 2, 'expected a segment, found "/"'],
    ['/a/', 4, 'expected a segment, found the end'],
    ['/a//b', 4, 'expected a segment, found "/"'],
    ['/:list', 2, 'expected a segment, found ":"'],
    ['/?a', 2, 'expected a segment, found "?"'],
    ['/a?b', 3, 'expected "/", ":" or the end, found "?"'],
    ['/a b', 3, 'expected "/", ":" or the end, found " "'],
    ['/a#b', 3, 'expected "/", ":" or the end, found "#"'],
    ['/é', 2, 'expected a segment, found "é"'],
    ['/😀', 2, 'expected a segment, found "😀"'],
    ['/a\n', 3, 'expected "/", ":" or the end, found "\n"'],
    ['/a*', 3, 'expected "/", ":" or the end, found "*"'],
    ['/*a', 3, 'expected "/", ":" or the end, found "a"'],
    ['/***', 4, 'expected "/", ":" or the end, found "*"'],
    ['/a{b}', 3, 'expected "/", ":" or the end, found "{"'],
    ['/{a}b', 5, 'expected "/", ":" or the end, found "b"'],
    ['/{a}{b}', 5, 'expected "/", ":" or the end, found "{"'],
    ['/a}', 3, 'expected "/", ":" or the end, found "}"'],
    ['/}', 2, 'expected a segment, found "}"'],
    ['/{}', 3, 'expected a field name, found "}"'],
    ['/{', 3, 'expected a field name, found the end'],
    ['/{=*}', 3, 'expected a field name, found "="'],
    ['/{1a}', 3, 'expected a field name, found "1"'],
    ['/{a.}', 5, 'expected a field name, found "}"'],
    ['/{.a}', 3, 'expected a field name, found "."'],
    ['/{a..b}', 5, 'expected a field name, found "."'],
    ['/{a-b}', 4, 'expected "}", found "-"'],
    ['/{a', 4, 'expected "}", found the end'],
    ['/{a/b}', 4, 'expected "}", found "/"'],
    ['/{a=}', 5, 'expected a segment, found "}"'],
    ['/{a=b', 6, 'expected "}", found the end'],
    ['/{a=/b}', 5, 'expected a segment, found "/"'],
    ['/{a=b/}', 7, 'expected a segment, found "}"'],
    ['/{a=b:c}', 6, 'expected "}", found ":"'],
    ['/{a={b}}', 5, 'a variable must not contain another'],
    ['/{a=b/{c}}', 7, 'a variable must not contain another'],
    ['/{a}/{a}', 7, 'the field path "a" occurs twice'],
    ['/{a.b=x/*}/y/{a.b}', 15, 'the field path "a.b" occurs twice'],
    ['/**/a', 5, 'only a verb may follow "**"'],
    ['/**/**', 5, 'only a verb may follow "**"'],
    ['/{a=**}/b', 9, 'only a verb may follow "**"'],
    ['/{a=**/b}', 8, 'only a verb may follow "**"'],
    ['/{a=**}/{b}', 9, 'only a verb may follow "**"'],
    ['/a:', 4, 'expected a verb, found the end'],
    ['/a:*', 4, 'expected a verb, found "*"'],
    ['/a:{b}', 4, 'expected a verb, found "{"'],
    ['/a:b:c', 5, 'expected the end after the verb, found ":"'],
    ['/a:b/c', 5, 'expected the end after the verb, found "/"'],
    ['/a/b%', 4, 'malformed percent-encoding in "b%"'],
    ['/a%2', 2, 'malformed percent-encoding in "a%2"'],
    ['/%zz', 2, 'malformed percent-encoding in "%zz"'],
    ['/%FF', 2, 'malformed percent-encoding in "%FF"'],
    ['/a:%C3', 4, 'malformed percent-encoding in "%C3"'],
  ])('is refused, and the error names the column and the problem', (source, column, problem) => {
    const message = `path template "${source}" is wrong at column ${column}: ${problem}`;
    expect(() => parseTemplate(source)).toThrow(new Error(message));
  });
});
