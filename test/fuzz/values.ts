// Odd values, and requests with them for any method, as JSON and as protobuf.
import type { DescField, DescMessage, DescMethod } from '@bufbuild/protobuf';
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { services } from '../../src/api/services.ts';
import type { SeededRandom } from '../support/seeded-random.ts';

export const methods: readonly DescMethod[] = Object.values(services).flatMap(
  (service) => service.methods,
);

/** Existing ids, by the noun with which the field name of an id begins. */
export type Ids = Readonly<Record<string, string>>;

const oddTexts = [
  '',
  ' ',
  'a',
  '\0',
  'a\0b',
  '\ud800',
  '\u202e',
  '😀',
  'é',
  'é'.normalize('NFD'),
  '__proto__',
  'constructor',
  'toString',
  '../../etc/passwd',
  '%00',
  '%',
  "' OR 1=1 --",
  '<script>',
  '\r\nSet-Cookie: a=b',
  'a'.repeat(300),
  'a'.repeat(5000),
  'lk_wk_0000000000000000000000_0000000000000000000000000000000000000000000000000',
  'eyJhbGciOiJub25lIn0.e30.',
  '2024-02-30T00:00:00Z',
  '9999-12-31T23:59:59.999999999Z',
  '0001-01-01T00:00:00Z',
  '1970-01-01T00:00:00+23:59',
  'NaN',
  '-Infinity',
  '1e400',
  'null',
  'payments:read',
  'payments:read payments:read',
  'a@b',
  'staff@example.com',
];

/** Raw JSON texts. */
const oddJson = [
  'null',
  'true',
  '0',
  '-0',
  '-1',
  '1.5',
  '1e400',
  '-1e400',
  '9007199254740993',
  '18446744073709551616',
  '0x10',
  '[]',
  '{}',
  '[[]]',
  '[null]',
  '{"__proto__":{"a":1}}',
  '{"a":1,"a":2}',
  '{"@type":"a"}',
  '"\\ud800"',
  '"\\u0000"',
  '"\\x"',
  '',
  'undefined',
  `${'['.repeat(500)}${']'.repeat(500)}`,
  `[${'1,'.repeat(300)}1]`,
];

export const oddText = (random: SeededRandom): string => random.pick(oddTexts);

/** A value that matches the name of the field, if there is one. */
function likelyText(name: string, random: SeededRandom, ids: Ids): string {
  const [, noun = ''] = /^(\w+?)_ids?$/.exec(name) ?? [];
  const id = ids[noun];
  if (id !== undefined && random.chance(0.7)) return id;
  if (/email/.test(name)) return `reader${random.below(1000)}@example.com`;
  if (/scope/.test(name)) return random.pick(['payments:read', 'documents:read', 'a:b']);
  if (/time/.test(name)) return new Date(4e12 * random.below(2) + 1e12).toISOString();
  return random.chance(0.5) ? `name ${random.below(1e6)}` : oddText(random);
}

/** One likely or odd value as JSON. */
function jsonValue(field: DescField, random: SeededRandom, ids: Ids): string {
  if (random.chance(0.25)) return random.pick(oddJson);
  const text = () => JSON.stringify(likelyText(field.name, random, ids));
  if (field.fieldKind === 'list') {
    return `[${Array.from({ length: random.below(4) }, text).join(',')}]`;
  }
  if (field.fieldKind === 'enum') {
    return random.chance(0.5) ? String(random.below(5)) : JSON.stringify(oddText(random));
  }
  if (field.fieldKind !== 'scalar') return text();
  switch (field.scalar) {
    case 8:
      return random.pick(['true', 'false']);
    case 9:
    case 12:
      return text();
    default:
      return String(random.pick([0, 1, 50, 86_400, 2 ** 31, -1]));
  }
}

export function jsonBody(input: DescMessage, random: SeededRandom, ids: Ids): string {
  const fields = input.fields.filter(() => random.chance(0.7));
  const members = fields.map((field) => {
    const name = random.chance(0.9) ? field.name : field.jsonName;
    return `${JSON.stringify(name)}:${jsonValue(field, random, ids)}`;
  });
  if (random.chance(0.1)) {
    members.push(`${JSON.stringify(oddText(random))}:${random.pick(oddJson)}`);
  }
  if (random.chance(0.05) && members[0] !== undefined) members.push(members[0]);
  return `{${members.join(',')}}`;
}

/** A valid or slightly invalid message of the method. */
export function wireMessage(input: DescMessage, random: SeededRandom, ids: Ids): Buffer {
  const writer = new BinaryWriter();
  for (const field of input.fields) {
    if (random.chance(0.3)) continue;
    const isText = field.fieldKind !== 'enum' && ![3, 4, 5, 8, 13].includes(field.scalar ?? 9);
    if (isText !== random.chance(0.1)) {
      writer.tag(field.number, WireType.LengthDelimited);
      const text = likelyText(field.name, random, ids);
      writer.bytes(random.chance(0.8) ? Buffer.from(text) : random.bytes(random.below(40)));
    } else {
      writer.tag(field.number, WireType.Varint);
      writer.uint64(random.pick([0, 1, 50, 86_400, '18446744073709551615']));
    }
  }
  const bytes = Buffer.from(writer.finish());
  return random.chance(0.7) ? bytes : mutate(bytes, random);
}

/** Changes some bytes, removes some, or adds some. */
export function mutate(bytes: Buffer, random: SeededRandom): Buffer {
  const changed = Buffer.from(bytes);
  switch (random.below(4)) {
    case 0:
      return changed.subarray(0, random.below(changed.length + 1));
    case 1:
      return Buffer.concat([changed, random.bytes(1 + random.below(30))]);
    case 2: {
      const at = random.below(changed.length + 1);
      return Buffer.concat([changed.subarray(0, at), random.bytes(4), changed.subarray(at)]);
    }
    default:
      for (let i = 0; i <= random.below(8) && changed.length > 0; i++) {
        changed[random.below(changed.length)] = random.below(256);
      }
      return changed;
  }
}
