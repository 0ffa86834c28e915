// A collector that receives OTLP over HTTP (JSON and protobuf) and over gRPC.

import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createFileRegistry, fromBinary, fromJson, toJson } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { Client, credentials, Metadata, Server, ServerCredentials } from '@grpc/grpc-js';
import type { RunningProgram } from './program.ts';

type Value = { stringValue?: string; intValue?: number; doubleValue?: number };
type KeyValue = { key: string; value: Value };

export type SentSpan = {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  traceState?: string;
  status: { code?: number };
  attributes: KeyValue[];
};

export type SentMetric = {
  name: string;
  sum?: { isMonotonic: boolean; dataPoints: { attributes: KeyValue[]; asDouble: number }[] };
  gauge?: { dataPoints: { asDouble: number }[] };
  histogram?: {
    dataPoints: {
      attributes: KeyValue[];
      count: number;
      sum: number;
      bucketCounts: number[];
      explicitBounds: number[];
    }[];
  };
};

type Json = {
  resourceSpans?: { scopeSpans: { spans: SentSpan[] }[] }[];
  resourceMetrics?: {
    resource: { attributes: KeyValue[] };
    scopeMetrics: { metrics: SentMetric[] }[];
  }[];
};

export type OtlpRequest = { path: string; contentType: string; headers: string; body: Buffer };

export class OtlpReceiver {
  readonly requests: OtlpRequest[] = [];
  #url = '';
  readonly #http = createServer((request, response) => void this.#receive(request, response));

  /** The address for HTTP. */
  get url(): string {
    return this.#url;
  }

  async start(): Promise<void> {
    this.#http.listen(0, '127.0.0.1');
    await once(this.#http, 'listening');
    this.#url = `http://127.0.0.1:${(this.#http.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.#http.closeAllConnections();
    this.#http.close();
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    this.requests.push({
      path: request.url ?? '',
      contentType: request.headers['content-type'] ?? '',
      headers: JSON.stringify(request.headers),
      body: Buffer.concat(chunks),
    });
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  }

  #json(): Json[] {
    const json = this.requests.filter(({ contentType }) => contentType === 'application/json');
    return json.map(({ body }) => JSON.parse(body.toString()) as Json);
  }

  /** The spans that arrived as JSON. */
  get spans(): SentSpan[] {
    const resources = this.#json().flatMap(({ resourceSpans = [] }) => resourceSpans);
    return resources.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));
  }

  /** The latest metrics that arrived as JSON. */
  get metrics(): SentMetric[] {
    const resources = this.#json().flatMap(({ resourceMetrics = [] }) => resourceMetrics);
    return resources.at(-1)?.scopeMetrics.flatMap(({ metrics }) => metrics) ?? [];
  }

  /** The attributes of the process that sent the latest metrics. */
  get resource(): Record<string, unknown> {
    const resources = this.#json().flatMap(({ resourceMetrics = [] }) => resourceMetrics);
    return attributesOf(resources.at(-1)?.resource ?? { attributes: [] });
  }
}

export function attributesOf({ attributes }: { attributes: KeyValue[] }): Record<string, unknown> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [key, Object.values(value)[0] as unknown]),
  );
}

const exportTraces = '/opentelemetry.proto.collector.trace.v1.TraceService/Export';

/** Starts a collector for traces over gRPC. `receive` gets each message. */
export async function startGrpcReceiver(receive: (bytes: Buffer) => void) {
  const server = new Server();
  const keep = (bytes: Buffer) => bytes;
  server.addService(
    {
      export: {
        path: exportTraces,
        requestStream: false,
        responseStream: false,
        requestSerialize: keep,
        requestDeserialize: keep,
        responseSerialize: keep,
        responseDeserialize: keep,
      },
    },
    {
      export(call: { request: Buffer }, answer: (error: null, bytes: Buffer) => void) {
        receive(call.request);
        answer(null, Buffer.alloc(0));
      },
    },
  );
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    );
  });
  return { url: `http://127.0.0.1:${port}`, stop: () => server.forceShutdown() };
}

const field = (name: string, number: number, type: string, repeated = false) => ({
  name,
  jsonName: name,
  number,
  label: repeated ? 'LABEL_REPEATED' : 'LABEL_OPTIONAL',
  ...(type.startsWith('.') ? { type: 'TYPE_MESSAGE', typeName: type } : { type }),
});

const file = {
  name: 'otlp.proto',
  package: 'otlp',
  syntax: 'proto3',
  messageType: [
    { name: 'Export', field: [field('resources', 1, '.otlp.ResourceData', true)] },
    {
      name: 'ResourceData',
      field: [field('resource', 1, '.otlp.Resource'), field('scopes', 2, '.otlp.Scope', true)],
    },
    { name: 'Resource', field: [field('attributes', 1, '.otlp.KeyValue', true)] },
    {
      name: 'KeyValue',
      field: [field('key', 1, 'TYPE_STRING'), field('value', 2, '.otlp.AnyValue')],
    },
    { name: 'AnyValue', field: [field('text', 1, 'TYPE_STRING')] },
    { name: 'Scope', field: [field('items', 2, '.otlp.Item', true)] },
    // A metric has its name in the field 1, and a span in the field 5.
    { name: 'Item', field: [field('first', 1, 'TYPE_BYTES'), field('name', 5, 'TYPE_BYTES')] },
  ],
};

type Item = { first?: string; name?: string };
type Export = {
  resources: {
    resource: { attributes: { key: string; value: { text?: string } }[] };
    scopes: { items: Item[] }[];
  }[];
};

const registry = createFileRegistry(fromJson(FileDescriptorSetSchema, { file: [file] }));

/** Decodes a request with traces or metrics. */
export function decodeExport(bytes: Uint8Array) {
  const schema = registry.getMessage('otlp.Export');
  if (schema === undefined) throw new Error('the message is not registered');
  const { resources } = toJson(schema, fromBinary(schema, bytes), { registry }) as Export;
  const text = (base64 = '') => Buffer.from(base64, 'base64');
  return resources.map(({ resource, scopes }) => {
    const items = scopes.flatMap((scope) => scope.items);
    return {
      instanceId: resource.attributes.find(({ key }) => key === 'service.instance.id')?.value.text,
      spans: items.map(({ first, name }) => ({
        traceId: text(first).toString('hex'),
        name: text(name).toString(),
      })),
      metrics: items.map(({ first }) => text(first).toString()),
    };
  });
}

type Headers = Record<string, string>;

const service = 'latchkey.identity.v1.VerificationService';

/** Sends the call through each transport. */
export const getJwks = {
  async http({ env }: RunningProgram, headers: Headers): Promise<void> {
    await expectOk(fetch(`${env.LATCHKEY_BASE_URL}/.well-known/jwks.json`, { headers }));
  },

  async connect({ env }: RunningProgram, headers: Headers): Promise<void> {
    await expectOk(
      fetch(`${new URL(env.LATCHKEY_BASE_URL).origin}/${service}/GetJwks`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: '{}',
      }),
    );
  },

  async grpcWeb({ env }: RunningProgram, headers: Headers): Promise<void> {
    await expectOk(
      fetch(`${new URL(env.LATCHKEY_BASE_URL).origin}/${service}/GetJwks`, {
        method: 'POST',
        headers: { 'content-type': 'application/grpc-web+proto', 'x-grpc-web': '1', ...headers },
        body: new Uint8Array(5),
      }),
    );
  },

  grpc({ env }: RunningProgram, headers: Headers): Promise<void> {
    // Clients share connections otherwise.
    const options = { 'grpc.use_local_subchannel_pool': 1 };
    const insecure = credentials.createInsecure();
    const client = new Client(env.LATCHKEY_GRPC_ADDRESS, insecure, options);
    const metadata = new Metadata();
    for (const [name, value] of Object.entries(headers)) metadata.set(name, value);
    const keep = (bytes: Buffer) => bytes;
    return new Promise((resolve, reject) => {
      const path = `/${service}/GetJwks`;
      client.makeUnaryRequest(path, keep, keep, Buffer.alloc(0), metadata, (error) => {
        client.close();
        if (error === null) resolve();
        else reject(error);
      });
    });
  },
};

async function expectOk(pending: Promise<Response>): Promise<void> {
  const response = await pending;
  await response.arrayBuffer();
  if (response.status !== 200) throw new Error(`status ${response.status}`);
}
