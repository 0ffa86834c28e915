// A collector that receives OTLP over HTTP (JSON and protobuf) and over gRPC.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Server, ServerCredentials } from '@grpc/grpc-js';

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
