// Clients that do not read: what they hold is bounded on every transport, and others are served.
import { readdirSync, readlinkSync } from 'node:fs';
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';
import { responseBytes } from '../../src/api/response-budget.ts';
import { itHoldsFor } from '../support/rule.ts';
import { bearer, makePng, sha256 } from '../support/sharing-api.ts';
import { openHttp1, startTlsApp, type TlsClient } from '../support/tls-app.ts';
import {
  openUnreadClient,
  type UnreadRequest,
  type UnreadStream,
} from '../support/unread-streams.ts';
import { useStarted } from '../support/use-started.ts';

const streams = 100;
const bytesMax = 8 * 1024 * 1024;
const connections = 4;
const content = Buffer.alloc(3_000_000, 'a');
const logoBytes = 1_000_000;

const test = useStarted(() =>
  startTlsApp({
    config: { trustedProxies: ['127.0.0.1'] },
    responseBudget: { bytesMax, stalledMs: 60_000 },
  }),
);
let honest: TlsClient;
let targets: Record<string, UnreadRequest>;
let file: UnreadRequest;

beforeAll(async () => {
  honest = openHttp1(test.app.publicUrl, ca());
  targets = await createTargets();
});
afterAll(async () => {
  honest?.close();
});

const ca = () => test.files.authority.certificate;
const held = () => test.app.inside.responses.held();
const own = () => bearer(test.env.API_KEY);
/** Another network than that of the clients that do not read. */
const other = { 'x-forwarded-for': '192.0.2.1' };

/** The blobs that this process, which runs the service, has open. */
function openBlobs(): number {
  const blobs = `${test.dataDir}/blobs/`;
  const names = readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      return [readlinkSync(`/proc/self/fd/${fd}`)];
    } catch {
      return [];
    }
  });
  return names.filter((name) => name.startsWith(blobs)).length;
}

async function createTargets(): Promise<Record<string, UnreadRequest>> {
  const json = { ...own(), 'content-type': 'application/json' };
  const form = { ...own(), 'content-type': 'multipart/form-data; boundary=x' };
  const start = '--x\r\ncontent-disposition: form-data; name="file"; filename="a.txt"\r\n\r\n';
  const body = Buffer.concat([Buffer.from(start), content, Buffer.from('\r\n--x--\r\n')]);
  const uploaded = await honest.send('/api/v1/documents', { method: 'POST', headers: form, body });
  const { id } = JSON.parse(uploaded.body.toString());
  const link = await honest.send('/api/v1/links', {
    method: 'POST',
    headers: json,
    body: JSON.stringify({ document_id: id }),
  });
  const slug = new URL(JSON.parse(link.body.toString()).url).pathname;
  const shown = await honest.send(slug);
  const cookie = String(shown.headers['set-cookie']).split(';')[0] ?? '';
  const html = (await honest.send('/console')).body.toString();
  const logo = Buffer.concat([makePng(10, 10), Buffer.alloc(logoBytes)]).toString('base64');
  await test.app.inside.db
    .insertInto('logos')
    .values({
      id: 'logo',
      workspace_id: test.env.WORKSPACE_ID,
      content_type: 'image/png',
      content: logo,
    })
    .execute();
  const message = Buffer.concat([Buffer.from([10, id.length]), Buffer.from(id)]);
  const framed = Buffer.concat([Buffer.from([0, 0, 0, 0, message.length]), message]);
  const download = (type: string) => ({
    path: '/latchkey.sharing.v1.DocumentService/DownloadDocument',
    headers: { ...own(), 'content-type': type, te: 'trailers' },
    body: framed,
  });
  file = { path: `${slug}/file`, headers: { cookie } };
  return {
    'the file of a link': file,
    'the OpenAPI document': { path: '/openapi.json' },
    'an asset': { path: /src="(\/assets\/[^"]+\.js)"/.exec(html)?.[1] ?? '' },
    'a logo': { path: '/logos/logo' },
    'the HTML of a link': { path: slug },
    'a list in JSON': { path: '/api/v1/documents', headers: own() },
    'a download in JSON': { path: `/api/v1/documents/${id}/file`, headers: own() },
    'a download over Connect': download('application/connect+proto'),
    'a download over gRPC-Web': download('application/grpc-web+proto'),
    'a download over gRPC': download('application/grpc'),
  };
}

const urlOf = (name: string) =>
  name.endsWith('over gRPC') ? `https://${test.app.grpcAddress}` : test.app.publicUrl;

async function openMany(name: string, request: UnreadRequest): Promise<UnreadStream[]> {
  const client = await openUnreadClient(urlOf(name), { ca: ca() });
  onTestFinished(() => client.session.destroy());
  return Array.from({ length: streams }, () => client.open(request));
}

/** Waits until each stream has its status, or was ended. */
async function answered(many: readonly UnreadStream[]): Promise<void> {
  const isAnswered = (stream: UnreadStream) => stream.status() > 0 || stream.isClosed();
  await expect.poll(() => many.filter((stream) => !isAnswered(stream)).length).toBe(0);
}

const isRefused = (stream: UnreadStream) =>
  stream.status() === 503 ? stream.header('retry-after') === '1' : stream.grpcStatus() === '14';

itHoldsFor([
  'the file of a link',
  'the OpenAPI document',
  'an asset',
  'a logo',
  'the HTML of a link',
  'a list in JSON',
  'a download in JSON',
  'a download over Connect',
  'a download over gRPC-Web',
  'a download over gRPC',
])(
  '400 streams without a window hold a bounded part of the budget, and others are served',
  async (name) => {
    const target = targets[name];
    if (target === undefined) throw new Error(`no target ${name}`);
    const many: UnreadStream[] = [];
    for (let i = 0; i < connections; i++) {
      many.push(...(await openMany(name, target)));
      await answered(many);
      const isOpen = (stream: UnreadStream) => !stream.isClosed();
      await expect.poll(() => held().responses - many.filter(isOpen).length).toBe(0);
      expect(held().bytes).toBeLessThanOrEqual(bytesMax);
    }
    expect(held().bytes).toBeGreaterThan(bytesMax / 4);
    expect(held().responses).toBeLessThanOrEqual(bytesMax / responseBytes);
    expect(many.filter(isRefused).length).toBeGreaterThanOrEqual(streams);

    const headers = { ...file.headers, ...other };
    const answer = await honest.send(file.path, { headers });
    expect([answer.status, sha256(answer.body)]).toEqual([200, sha256(content)]);
    await expect.poll(openBlobs).toBe(0);

    for (const { stream } of many) stream.session?.destroy();
    await expect.poll(held).toEqual({ bytes: 0, responses: 0 });
  },
);
