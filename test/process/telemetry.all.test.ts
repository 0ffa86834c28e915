// Traces and metrics for OpenTelemetry, as a collector receives them.
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { type ModuleList, newModuleList } from '../support/loaded-modules.ts';
import {
  attributesOf,
  decodeExport,
  getJwks,
  OtlpReceiver,
  startGrpcReceiver,
} from '../support/otlp-receiver.ts';
import { type RunningProgram, startProgram } from '../support/program.ts';
import { logOf, startNode, withEachWorker } from '../support/worker-node.ts';

const newId = (bytes: number) => randomBytes(bytes).toString('hex');
const method = 'latchkey.identity.v1.VerificationService/GetJwks';
const frequent = { OTEL_BSP_SCHEDULE_DELAY: '50', OTEL_METRIC_EXPORT_INTERVAL: '200' };

describe('a process with an OTLP endpoint', () => {
  const collector = new OtlpReceiver();
  let program: RunningProgram;
  let loaded: ModuleList;
  beforeAll(async () => {
    await collector.start();
    loaded = await newModuleList();
    program = await startProgram({
      ...frequent,
      NODE_OPTIONS: loaded.option,
      LATCHKEY_BOOTSTRAP: 'demo',
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_EXPORTER_OTLP_HEADERS: 'x-collector-key=key-of-the-collector',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
    });
  });
  afterAll(async () => {
    await Promise.all([program.remove(), loaded.remove()]);
    collector.stop();
  });

  /** Waits for the spans of a trace with this name. */
  async function spansOf(traceId: string, name: string, count = 1) {
    const found = () =>
      collector.spans.filter((span) => span.traceId === traceId && span.name === name);
    await expect.poll(() => found().length).toBe(count);
    return found();
  }

  test('continues one trace over every transport', async () => {
    const [traceId, parentSpanId] = [newId(16), newId(8)];
    const headers = { traceparent: `00-${traceId}-${parentSpanId}-01`, tracestate: 'vendor=a' };
    for (const call of Object.values(getJwks)) await call(program, headers);
    const spans = await spansOf(traceId, method, 4);
    for (const span of spans) {
      expect(span).toMatchObject({ parentSpanId, kind: 2, traceState: 'vendor=a' });
      expect(span.status.code ?? 0).toBe(0);
    }
    const rpc = { 'rpc.service': 'latchkey.identity.v1.VerificationService' };
    const grpc = { ...rpc, 'rpc.system': 'grpc', 'rpc.grpc.status_code': 0 };
    expect(spans.map(attributesOf)).toEqual([
      expect.objectContaining({
        ...rpc,
        'rpc.method': 'GetJwks',
        'http.request.method': 'GET',
        'http.route': '/.well-known/jwks.json',
        'http.response.status_code': 200,
      }),
      expect.objectContaining({ ...rpc, 'rpc.system': 'connect_rpc' }),
      expect.objectContaining({ ...grpc, 'latchkey.transport': 'connect' }),
      expect.objectContaining({ ...grpc, 'latchkey.transport': 'grpc' }),
    ]);
    const logged = () => logOf(program).filter((line) => line.trace_id === traceId);
    await expect
      .poll(() => logged().map((line) => line.span_id))
      .toEqual(spans.map(({ spanId }) => spanId));
  });

  test('names the error of a call, which is not a fault of the server', async () => {
    const traceId = newId(16);
    const response = await fetch(`${program.env.LATCHKEY_BASE_URL}/tokens/verify`, {
      method: 'POST',
      headers: { traceparent: `00-${traceId}-${newId(8)}-01`, 'x-request-id': 'refused-call' },
    });
    expect(response.status).toBe(401);
    const name = 'latchkey.identity.v1.VerificationService/VerifyToken';
    const [span] = await spansOf(traceId, name);
    expect(span?.status.code ?? 0).toBe(0);
    expect(span && attributesOf(span)).toMatchObject({
      'error.type': 'unauthenticated',
      'http.response.status_code': 401,
      'latchkey.request_id': 'refused-call',
    });
  });

  test('exports nothing of a call that its caller does not sample', async () => {
    const [traceId, sampled] = [newId(16), newId(16)];
    for (const call of Object.values(getJwks)) {
      await call(program, { traceparent: `00-${traceId}-${newId(8)}-00` });
    }
    await getJwks.http(program, { traceparent: `00-${sampled}-${newId(8)}-01` });
    await spansOf(sampled, method);
    expect(collector.spans.filter((span) => span.traceId === traceId)).toEqual([]);
  });

  test('shows transactions and the blob store below the call, and no secrets', async () => {
    const traceId = newId(16);
    const traced = { traceparent: `00-${traceId}-${newId(8)}-01` };
    const { env } = program;
    const request = async (url: string, init: RequestInit = {}) => {
      const response = await fetch(url, {
        ...init,
        headers: { ...traced, ...(init.headers as Record<string, string>) },
      });
      const text = await response.text();
      return { status: response.status, text };
    };
    const key = { authorization: `Bearer ${env.API_KEY}` };
    const json = { 'content-type': 'application/json' };
    const form = new FormData();
    form.append('file', new File(['a text'], 'secret-name.txt'));
    const body = (value: unknown) => JSON.stringify(value);

    const documents = `${env.LATCHKEY_SHARING_BASE_URL}/documents`;
    const uploaded = await request(documents, { method: 'POST', headers: key, body: form });
    expect(uploaded.status).toBe(201);
    const { id } = JSON.parse(uploaded.text) as { id: string };
    const file = await request(`${documents}/${id}/file`, { headers: key });
    expect(file).toEqual({ status: 200, text: 'a text' });
    const made = await request(`${env.LATCHKEY_SHARING_BASE_URL}/links`, {
      method: 'POST',
      headers: { ...key, ...json },
      body: body({ document_id: id, email_required: true }),
    });
    expect(made.status).toBe(201);
    const link = JSON.parse(made.text) as { id: string; url: string };
    expect((await request(link.url)).status).toBe(200);
    expect((await request(`${link.url}/unknown?email=reader@example.com`)).status).toBe(404);
    const issued = await request(`${env.LATCHKEY_BASE_URL}/tokens`, {
      method: 'POST',
      headers: json,
      body: body({
        client_id: env.CLIENT_ID,
        client_secret: env.CLIENT_SECRET,
        scope: env.CLIENT_SCOPES,
      }),
    });
    expect(issued.status).toBe(200);
    const { access_token: token } = JSON.parse(issued.text) as { access_token: string };
    const credentials = { email: env.STAFF_EMAIL, password: env.STAFF_PASSWORD };
    const session = { method: 'POST', headers: json, body: body(credentials) };
    expect((await request(`${env.LATCHKEY_BASE_URL}/sessions`, session)).status).toBe(200);

    const [upload] = await spansOf(traceId, 'latchkey.sharing.v1.DocumentService/UploadDocument');
    const [write] = await spansOf(traceId, 'write blob');
    expect(write).toMatchObject({ parentSpanId: upload?.spanId, kind: 3 });
    const download = 'latchkey.sharing.v1.DocumentService/DownloadDocument';
    const [opened] = await spansOf(traceId, download);
    const below = collector.spans.filter((span) => span.parentSpanId === opened?.spanId);
    expect(below.map(({ name }) => name)).toContain('read blob');
    const transactions = collector.spans.filter((span) => span.name === 'transaction');
    expect(transactions.map((span) => span.parentSpanId)).toContain(upload?.spanId);
    expect(transactions.map(attributesOf)).toContainEqual({ 'db.system.name': 'sqlite' });
    const [page] = await spansOf(traceId, 'GET /s/{slug}');
    expect(page && attributesOf(page)).toMatchObject({ 'http.response.status_code': 200 });
    await spansOf(traceId, 'GET');

    const slug = new URL(link.url).pathname.split('/').at(-1) ?? '';
    const secrets = [slug, link.id, id, token, token.split('.').at(-1) ?? '', 'secret-name'];
    const names = ['API_KEY', 'CLIENT_SECRET', 'CUSTOMER_API_KEY', 'STAFF_EMAIL'] as const;
    secrets.push(...names.map((name) => env[name]), env.STAFF_PASSWORD, 'reader@example.com');
    expect(secrets.filter((secret) => secret.length < 6)).toEqual([]);
    const received = collector.requests.map((one) => `${one.headers}${one.body}`).join();
    expect(secrets.filter((secret) => received.includes(secret))).toEqual([]);
    expect(received).toContain('key-of-the-collector');
    expect(program.stdout()).not.toContain('key-of-the-collector');
  });

  test('exports its metrics with their labels and buckets', async () => {
    await getJwks.http(program, {});
    const find = (name: string) => collector.metrics.find((metric) => metric.name === name);
    const calls = () =>
      find('latchkey_call_duration_seconds')?.histogram?.dataPoints.find((point) => {
        const { method: called, transport } = attributesOf(point);
        return called === method && transport === 'http';
      });
    await expect.poll(() => calls()?.count ?? 0).toBeGreaterThan(0);
    const point = calls();
    const sum = point?.bucketCounts.reduce((total, count) => total + count, 0);
    expect(sum).toBe(point?.count);
    expect(point?.bucketCounts.length).toBe((point?.explicitBounds.length ?? 0) + 1);
    expect(find('latchkey_log_lines_dropped_total')?.sum?.isMonotonic).toBe(true);
    expect(find('latchkey_blob_store_up')?.gauge?.dataPoints[0]?.asDouble).toBe(1);
    expect(collector.resource).toMatchObject({
      'service.name': 'latchkey',
      'service.version': expect.stringMatching(/^\d/),
      'service.instance.id': expect.stringMatching(/^[\da-f-]{36}$/),
      'deployment.environment.name': 'test',
    });
  });

  test('has loaded the SDK', async () => {
    expect(await loaded.packages()).toContain('sdk-trace');
  });
});

test('each worker exports what is left when it stops, over gRPC and HTTP', async () => {
  const collector = new OtlpReceiver();
  await collector.start();
  onTestFinished(() => collector.stop());
  const traces: Buffer[] = [];
  const grpc = await startGrpcReceiver((bytes) => traces.push(bytes));
  onTestFinished(grpc.stop);
  const node = await startNode('sqlite', {
    OTEL_BSP_SCHEDULE_DELAY: '600000',
    OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'grpc',
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: grpc.url,
    OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: `${collector.url}/v1/metrics`,
    OTEL_RESOURCE_ATTRIBUTES: 'service.instance.id=node-1',
  });
  const traceId = newId(16);
  const headers = { traceparent: `00-${traceId}-${newId(8)}-01` };
  const workers = await withEachWorker(node, async (pid) => {
    await getJwks.grpc(node, headers);
    return pid;
  });
  node.child.kill('SIGTERM');
  expect(await node.ended).toBe(0);
  const instances = workers.map((pid) => `node-1-${pid}`).sort();
  const spans = traces.flatMap(decodeExport);
  expect(spans.map(({ instanceId }) => instanceId).sort()).toEqual(instances);
  expect(spans.flatMap((one) => one.spans)).toEqual([
    { traceId, name: method },
    { traceId, name: method },
  ]);
  const metrics = collector.requests.flatMap(({ body }) => decodeExport(body));
  expect(metrics.map(({ instanceId }) => instanceId).sort()).toEqual(instances);
  expect(metrics[0]?.metrics).toContain('latchkey_call_duration_seconds');
});

test('collectors that are down or hang delay no stop, and cause one log line each', async () => {
  const hanging = createServer(() => {});
  await new Promise<void>((resolve) => hanging.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void hanging.close());
  const address = hanging.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const program = await startProgram({
    ...frequent,
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `http://127.0.0.1:${await freePort()}/secret-path`,
    OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: `http://127.0.0.1:${port}/v1/metrics`,
    OTEL_EXPORTER_OTLP_TIMEOUT: '100',
    OTEL_TRACES_SAMPLER: 'unknown-sampler',
  });
  onTestFinished(() => program.remove());
  const linesOf = (signal: string) => logOf(program).filter((line) => line.signal === signal);
  for (const signal of ['traces', 'metrics']) {
    await expect
      .poll(async () => {
        await getJwks.http(program, {});
        return linesOf(signal).length;
      })
      .toBe(1);
  }
  // Each of these calls is in another batch.
  for (let i = 0; i < 5; i++) {
    await getJwks.http(program, {});
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  program.child.kill('SIGTERM');
  expect(await program.ended).toBe(0);
  expect([linesOf('traces').length, linesOf('metrics').length]).toEqual([1, 1]);
  const messages = logOf(program).filter((line) => line.msg === 'OpenTelemetry');
  expect(messages.map(({ detail }) => detail)).toEqual([
    'OTEL_TRACES_SAMPLER value … invalid, defaulting to ….',
  ]);
  expect(program.stdout()).not.toContain('secret-path');
});

test('a process without an exporter loads no SDK', async () => {
  const loaded = await newModuleList();
  onTestFinished(loaded.remove);
  const program = await startProgram({ NODE_OPTIONS: loaded.option });
  onTestFinished(() => program.remove());
  await getJwks.http(program, {});
  await getJwks.grpc(program, {});
  // prom-client loads the API.
  expect(await loaded.packages()).toEqual(['api']);
});
