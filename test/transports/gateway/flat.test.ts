// What is read and written without reflection is what the library reads and writes.
import {
  create,
  type DescMessage,
  type FileRegistry,
  fromJson,
  type JsonObject,
  type JsonValue,
  toJson,
} from '@bufbuild/protobuf';
import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { type FlatMessages, flatMessages } from '../../../src/transports/gateway/flat.ts';
import { hasRepeatedName } from '../../../src/transports/gateway/json-members.ts';
import { compileProto } from '../../support/proto.ts';

const source = `
  syntax = "proto3";
  package test.v1;
  message Flat { uint32 big_count = 9; string full_name = 2; bool flag = 1; string other = 3; }
  message Optional { optional string name = 1; }
  message List { repeated string names = 1; }
  message Map { map<string, string> names = 1; }
  message Nested { Flat inner = 1; }
  message Choice { oneof one { string name = 1; } }
  message Wide { string name = 1; uint64 count = 2; }`;

let registry: FileRegistry;
let schema: DescMessage;
let flat: FlatMessages;
beforeAll(async () => {
  registry = await compileProto({ 'test/flat.proto': source });
  schema = message('Flat');
  const found = flatMessages(schema);
  if (found === undefined) throw new Error('a flat message is not taken for one');
  flat = found;
});

function message(name: string): DescMessage {
  const found = registry.getMessage(`test.v1.${name}`);
  if (found === undefined) throw new Error(`there is no message ${name}`);
  return found;
}

/** Values of any type, the right ones and those just beyond them among them. */
const value: fc.Arbitrary<JsonValue> = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.boolean(),
  fc.nat(),
  fc.constantFrom('\ud800', '1', 'true', null, -0, -1, 0.5, 2 ** 32 - 1, 2 ** 32, [], {}),
);
const spellings = ['big_count', 'bigCount', 'full_name', 'fullName', 'flag', 'other'];
const body: fc.Arbitrary<JsonObject> = fc.dictionary(
  fc.oneof(fc.constantFrom(...spellings), fc.constantFrom('nope', '__proto__', 'constructor')),
  value,
  { maxKeys: 4 },
);

test('a body is read as the library reads it, or left to it', () => {
  let read = 0;
  fc.assert(
    fc.property(body, (members) => {
      const json: JsonObject = JSON.parse(JSON.stringify(members));
      const given = flat.read(json);
      if (given === undefined) return;
      read++;
      expect(given).toStrictEqual(fromJson(schema, json));
    }),
    { numRuns: 2_000 },
  );
  expect(read).toBeGreaterThan(100);
});

test('a body of fitting values is not left to it', () => {
  const fitting = { bigCount: fc.nat(), full_name: fc.string(), flag: fc.boolean() };
  fc.assert(
    fc.property(fc.record(fitting, { requiredKeys: [] }), (json) => {
      expect(flat.read(json)).toStrictEqual(fromJson(schema, json));
    }),
  );
});

test.each([
  [{ full_name: 'a', fullName: 'b' }],
  [{ nope: 1 }],
  [{ __proto__: null, toString: 'x' }],
  [{ full_name: null }],
  [{ full_name: '\ud800' }],
  [{ bigCount: -1 }],
  [{ bigCount: '1' }],
])('the body %j is left to the general way', (json) => {
  expect(flat.read(json)).toBeUndefined();
});

test('a message is written as the library writes it', () => {
  const init = { bigCount: fc.nat(), fullName: fc.string({ unit: 'binary' }), flag: fc.boolean() };
  fc.assert(
    fc.property(fc.record(init, { requiredKeys: [] }), (fields) => {
      const one = create(schema, fields);
      const json = toJson(schema, one, { alwaysEmitImplicit: true, useProtoFieldName: true });
      expect(JSON.stringify(flat.write(one))).toBe(JSON.stringify(json));
    }),
  );
});

test('a message that holds what it must not is left to the library', () => {
  expect(flat.write(create(schema, { fullName: '\ud800' }))).toBeUndefined();
  expect(flat.write(Object.assign(create(schema), { bigCount: Number.NaN }))).toBeUndefined();
});

test.each(['Optional', 'List', 'Map', 'Nested', 'Choice', 'Wide'])(
  'a message of kind %s is not flat',
  (name) => expect(flatMessages(message(name))).toBeUndefined(),
);

test('a name that is given twice is found, whatever else the text holds', () => {
  const names = fc.constantFrom('a', 'b', 'a"', '\\', '\n', 'é');
  const text = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('"', '\\"', ':"', '\\'));
  const inner = fc.oneof(text, fc.array(text), fc.dictionary(names, text), fc.nat());
  fc.assert(
    fc.property(fc.array(fc.tuple(names, inner), { maxLength: 5 }), (members) => {
      const written = members.map(
        ([name, one]) => `${JSON.stringify(name)}: ${JSON.stringify(one)}`,
      );
      const json = `{${written.join(' , ')}}`;
      const isTwice = new Set(members.map(([name]) => name)).size < members.length;
      expect(hasRepeatedName(json, JSON.parse(json))).toBe(isTwice);
      expect(hasRepeatedName(`[${json}]`, JSON.parse(`[${json}]`))).toBe(isTwice);
    }),
    { numRuns: 500 },
  );
});
