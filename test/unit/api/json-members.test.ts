import { EmptySchema } from '@bufbuild/protobuf/wkt';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findRepeatedField, hasRepeatedName } from '../../../src/api/json-members.ts';
import { itHoldsFor } from '../../support/rule.ts';

const judge = (text: string) => hasRepeatedName(text, JSON.parse(text));

describe('a key of a JSON object', () => {
  itHoldsFor([
    '{"a":1,"a":1}',
    '{"a":1,"b":2,"a":3}',
    '{"a" : 1, "\\u0061"\n:\t2}',
    '{"b":{"a":1,"a":2}}',
    '{"b":[{"a":1},{"a":1,"a":2}]}',
    '{"":1,"":2}',
    '{"__proto__":1,"__proto__":2}',
    '{"a\\\\":1,"a\\\\":2}',
  ])('that is duplicated is found', (text) => {
    expect(judge(text)).toBe(true);
  });

  itHoldsFor([
    '{}',
    'null',
    '"a:"',
    '{"a":"\\":","b":":"}',
    '{"a":{"a":{"a":1}}}',
    '[{"a":1},{"a":1}]',
    '{"__proto__":1,"constructor":2}',
    '{"a":"\\\\","b":"\\\\\\":\\""}',
  ])('that is unique is accepted', (text) => {
    expect(judge(text)).toBe(false);
  });

  test('is never reported as a duplicate in serialised JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.nat(4), (value, spaces) => {
        expect(judge(JSON.stringify(value, null, spaces))).toBe(false);
      }),
    );
  });

  test('is reported as a duplicate wherever it is inserted again', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 }), (members) => {
        const [name = ''] = Object.keys(members);
        const again = `${JSON.stringify(members).slice(0, -1)},${JSON.stringify(name)}:0}`;
        expect(judge(again)).toBe(true);
      }),
    );
  });

  test('is reported exactly if it is a duplicate, whatever else the text contains', () => {
    // On Node 24 and 26, JSON.parse reads the key "\n" as "\\" if it read "\\" before
    // (nodejs/node#63785). No name may begin with the escaped form of another one.
    const names = fc.constantFrom('a', 'b', 'a"', 'c\\', '\n', 'é');
    const text = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('"', '\\"', ':"', '\\'));
    const inner = fc.oneof(text, fc.array(text), fc.dictionary(names, text), fc.nat());
    fc.assert(
      fc.property(fc.array(fc.tuple(names, inner), { maxLength: 5 }), (members) => {
        const written = members.map(
          ([name, one]) => `${JSON.stringify(name)}: ${JSON.stringify(one)}`,
        );
        const json = `{${written.join(' , ')}}`;
        const isTwice = new Set(members.map(([name]) => name)).size < members.length;
        expect(judge(json)).toBe(isTwice);
        expect(judge(`[${json}]`)).toBe(isTwice);
        expect(findRepeatedField(json, EmptySchema) !== undefined).toBe(isTwice);
        expect(findRepeatedField(`[[],${json}]`, EmptySchema) !== undefined).toBe(isTwice);
      }),
      { numRuns: 500 },
    );
  });
});
