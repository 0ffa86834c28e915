// Sends requests to the service over kept-alive connections and measures them.
import http from 'node:http';
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { Client, credentials, Metadata } from '@grpc/grpc-js';
import { pathOf, percentile } from '../loads/grpc.mjs';

export function openClient({ ports }) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 64 });
  const grpc = new Client(`127.0.0.1:${ports.gRPC}`, credentials.createInsecure());

  /** Resolves to the status, the headers and the text. */
  function send(method, path, { token, body, form, cookie } = {}) {
    const content = form ?? (body === undefined ? undefined : JSON.stringify(body));
    const type = form === undefined ? 'application/json' : 'application/x-www-form-urlencoded';
    const headers = {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(cookie === undefined ? {} : { cookie }),
      ...(content === undefined
        ? {}
        : { 'content-type': type, 'content-length': Buffer.byteLength(content) }),
    };
    return new Promise((resolve, reject) => {
      const options = { host: '127.0.0.1', port: ports.HTTP, method, path, headers, agent };
      const request = http.request(options, (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk) => {
          text += chunk;
        });
        const { statusCode: status, headers } = response;
        response.on('end', () => resolve({ status, headers, text }));
      });
      request.on('error', reject);
      request.end(content);
    });
  }

  return {
    send,
    /** Sends a request that must succeed, and returns its JSON. */
    async json(method, path, options) {
      const { status, text } = await send(method, path, options);
      if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`);
      return text === '' ? {} : JSON.parse(text);
    },
    call(method, fields, token) {
      const metadata = new Metadata();
      if (token !== undefined) metadata.set('authorization', `Bearer ${token}`);
      const encode = (message) => Buffer.from(toBinary(method.input, message));
      const decode = (bytes) => fromBinary(method.output, bytes);
      const message = create(method.input, fields);
      return new Promise((resolve, reject) => {
        grpc.makeUnaryRequest(pathOf(method), encode, decode, message, metadata, (error, answer) =>
          error ? reject(error) : resolve(answer),
        );
      });
    },
    close() {
      agent.destroy();
      grpc.close();
    },
  };
}

/** Calls `work` one after the other for at most `ms`, and returns the percentiles in ms. */
export async function measure(work, { count = 100, ms = 1_000, warmUp = 5 } = {}) {
  for (let i = 0; i < Math.min(warmUp, count); i++) await work(i);
  const times = [];
  const deadline = performance.now() + ms;
  for (let i = 0; i < count && performance.now() < deadline; i++) {
    const started = performance.now();
    await work(i + warmUp);
    times.push(performance.now() - started);
  }
  return summary(times);
}

export function summary(times) {
  const sorted = times.toSorted((a, b) => a - b);
  return {
    count: sorted.length,
    p50: percentile(sorted, 0.5),
    p99: percentile(sorted, 0.99),
    max: sorted.at(-1) ?? 0,
  };
}

/** Sends requests at a fixed rate until stopped, whether or not they are answered in time. */
export function startLoad(requests, perSecond) {
  let times = [];
  let errors = 0;
  let earlier = { times: [], errors: 0 };
  let sent = 0;
  const pending = new Set();
  const begin = performance.now();
  const timer = setInterval(() => {
    const due = ((performance.now() - begin) / 1000) * perSecond;
    for (; sent < due; sent++) {
      const started = performance.now();
      const request = requests[sent % requests.length](sent)
        .then(() => times.push(performance.now() - started))
        .catch(() => errors++)
        .finally(() => pending.delete(request));
      pending.add(request);
    }
  }, 2);
  return {
    /** Returns the percentiles since the last call. */
    take() {
      const result = { ...summary(times), errors };
      earlier = { times: earlier.times.concat(times), errors: earlier.errors + errors };
      times = [];
      errors = 0;
      return result;
    },
    /** Returns the percentiles of all that `take` has returned since the last call. */
    takeAll() {
      const result = { ...summary(earlier.times), errors: earlier.errors };
      earlier = { times: [], errors: 0 };
      return result;
    },
    async stop() {
      clearInterval(timer);
      await Promise.all(pending);
    },
  };
}
