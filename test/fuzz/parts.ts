// Uploads with malformed multipart bodies.
import type { SeededRandom } from '../support/seeded-random.ts';
import type { Context, FuzzRequest } from './requests.ts';
import { mutate, oddText } from './values.ts';

const dispositions: readonly ((random: SeededRandom) => string)[] = [
  () => 'Content-Disposition: form-data; name="file"; filename="a.bin"',
  () => 'Content-Disposition: form-data; name="file"; filename="a.bin"',
  () => 'Content-Disposition: form-data; name="file"; filename="a.bin"',
  () => 'Content-Disposition: form-data; name="name"',
  () => 'Content-Disposition: form-data; name="workspace_id"',
  () => 'Content-Disposition: form-data',
  () => 'Content-Disposition: form-data; filename="a.bin"',
  () => 'Content-Disposition: form-data; name=; filename=',
  () => 'Content-Disposition: form-data; name="file',
  () => 'Content-Disposition: attachment; name="file"; filename="a"',
  () => 'Content-Disposition:',
  () => "Content-Disposition: form-data; name*=utf-8''file; filename*=x",
  (random) => `Content-Disposition: form-data; name="${clean(oddText(random))}"`,
  (random) => `Content-Disposition: form-data; name="file"; filename="${clean(oddText(random))}"`,
  () => '',
  () => 'X: y',
  () => ': ',
];

const clean = (text: string) => text.replace(/[\r\n]/g, ' ');

function part({ random, ids }: Context): Buffer {
  const lines = [random.pick(dispositions)(random)];
  if (random.chance(0.2)) {
    const types = ['text/plain', 'multipart/mixed; boundary=y', 'a', '', 'text/plain; charset=x'];
    lines.push(`Content-Type: ${random.pick(types)}`);
  }
  if (random.chance(0.05)) lines.push('Content-Transfer-Encoding: base64');
  if (random.chance(0.05)) lines.push(`X-Large: ${'a'.repeat(100_000)}`);
  if (random.chance(0.03)) lines.push(...Array.from({ length: 3000 }, (_, i) => `X-${i}: a`));
  const body = random.chance(0.1) ? (ids.workspace ?? '') : random.bytes(random.below(300));
  const nested = random.chance(0.05) ? `--y\r\n\r\n--y--\r\n` : '';
  const head = `--x\r\n${lines.filter((line) => line !== '').join('\r\n')}\r\n\r\n${nested}`;
  return Buffer.concat([Buffer.from(head), Buffer.from(body), Buffer.from('\r\n')]);
}

export function partsRequest(context: Context): FuzzRequest {
  const { random } = context;
  const credential = random.chance(0.6) ? context.apiKey : context.credential;
  const parts = Array.from({ length: random.below(5) }, () => part(context));
  const ends = ['--x--\r\n', '--x--\r\n', '--x--\r\n', '--x', '--x-', '', '--x--garbage'];
  let body: Buffer = Buffer.concat([...parts, Buffer.from(random.pick(ends))]);
  if (random.chance(0.1)) body = mutate(body, random);
  const types = ['boundary=x', 'boundary=x', 'boundary=x', 'boundary=x', 'boundary="x"'];
  const oddTypes = ['', 'boundary=', 'boundary=y', `boundary=${'b'.repeat(300)}`];
  const type = random.pick(random.chance(0.9) ? types : oddTypes);
  const lines = [
    'POST /api/v1/documents HTTP/1.1',
    'Host: latchkey.test',
    `Content-Type: multipart/form-data; ${type}`,
    `Content-Length: ${body.length}`,
    ...(credential === undefined ? [] : [`Authorization: Bearer ${credential}`]),
  ];
  return {
    bytes: Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), body]),
    isHead: false,
  };
}
