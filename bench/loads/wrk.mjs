// HTTP load: wrk, one thread, keep-alive.
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { runTool } from '../processes.mjs';

const allConnections = 32;
const hasToken = ({ access_token }) => Boolean(access_token);
const types = { json: 'application/json', form: 'application/x-www-form-urlencoded' };

/**
 * Posts the same body to `route` repeatedly: `fields` as JSON, or as a form if `isForm` is true.
 * Without fields it sends GET requests. `isGood` checks the body of a response, which is a token by
 * default.
 */
export async function createHttpLoad(options) {
  const { folder, name, route, fields, isForm = false, isGood = hasToken } = options;
  const hasBody = fields !== undefined;
  const headers = {
    ...options.headers,
    ...(hasBody && { 'content-type': isForm ? types.form : types.json }),
  };
  const body = isForm ? String(new URLSearchParams(fields)) : JSON.stringify(fields);
  const bodyFile = hasBody ? path.join(folder, `${name}.body`) : undefined;
  if (hasBody) await writeFile(bodyFile, body);

  return {
    description: `wrk, 1 thread, ${allConnections} connections, keep-alive`,
    connections: allConnections,

    probe: (port) => probe(port, route, headers, body, isGood),

    run(port, seconds, connections = allConnections) {
      const url = `http://127.0.0.1:${port}${route}`;
      return runWrk({ url, seconds, connections, headers, bodyFile });
    },
  };
}

/** More than the service answers. wrk fails when all requests are sent. */
const freshPerSecond = 10_000;

/**
 * Posts another request each time, for requests that the service accepts once. Before each round,
 * `makeRequests(count)` returns the `{fields, headers}` of each one.
 */
export function createFreshHttpLoad({ folder, name, port, route, seconds, makeRequests }) {
  const requestsFile = path.join(folder, `${name}.requests`);
  const type = { 'content-type': types.json };
  const textOf = ({ fields, headers = {} }) => {
    const body = JSON.stringify(fields);
    const lines = Object.entries({
      host: `127.0.0.1:${port}`,
      ...type,
      ...headers,
      'content-length': Buffer.byteLength(body),
    }).map(([key, value]) => `${key}: ${value}`);
    return [`POST ${route} HTTP/1.1`, ...lines, '', body].join('\r\n');
  };

  return {
    description: `wrk, 1 thread, ${allConnections} connections, keep-alive, new requests`,

    async probe(at) {
      const [{ fields, headers }] = await makeRequests(1);
      await probe(at, route, { ...headers, ...type }, JSON.stringify(fields), hasToken);
    },

    async prepareRound() {
      const requests = await makeRequests(freshPerSecond * seconds);
      await writeFile(requestsFile, requests.map(textOf).join('\0'));
    },

    run(at, limit) {
      const url = `http://127.0.0.1:${at}${route}`;
      return runWrk({ url, seconds: limit, connections: allConnections, requestsFile });
    },
  };
}

/** Throws unless the response is good. Sends a GET request if there is no body. */
async function probe(port, route, headers, body, isGood) {
  const url = `http://127.0.0.1:${port}${route}`;
  const method = body === undefined ? 'GET' : 'POST';
  const response = await fetch(url, { method, headers, body });
  const answer = await response.json();
  if (response.status !== 200 || !(await isGood(answer))) {
    throw new Error(`${url} answered ${response.status}: ${JSON.stringify(answer)}`);
  }
}

/** Requests the same HTML page repeatedly, which contains `text`. */
export const createPageLoad = ({ route, headers, text }) => ({
  connections: allConnections,
  async probe(port) {
    const response = await fetch(`http://127.0.0.1:${port}${route}`, { headers });
    if (response.status !== 200 || !(await response.text()).includes(text)) {
      throw new Error(`${route} answered ${response.status} without "${text}"`);
    }
  },
  run: (port, seconds, connections = allConnections) =>
    runWrk({ url: `http://127.0.0.1:${port}${route}`, seconds, connections, headers }),
});

/**
 * Requests `url` repeatedly, with POST if there is a body file, or sends the requests of a file.
 * Returns the result.
 */
export async function runWrk(options) {
  const { url, seconds, connections, headers = {}, bodyFile, requestsFile } = options;
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const output = await runTool('wrk', [
    ...['--threads', '1', '--connections', String(connections), '--duration', `${seconds}s`],
    ...['--script', path.join(import.meta.dirname, 'wrk.lua')],
    ...lines.flatMap((line) => ['--header', line]),
    url,
    ...(bodyFile === undefined ? [] : ['--', bodyFile, 'body']),
    ...(requestsFile === undefined ? [] : ['--', requestsFile, 'requests']),
  ]);
  const [, json] = /^RESULT (.*)$/m.exec(output) ?? [];
  if (json === undefined) throw new Error(`unexpected output of wrk:\n${output}`);
  const { answers, micros, p50, p99, errors } = JSON.parse(json);
  return {
    requests: answers - errors,
    requestsPerSecond: (answers - errors) / (micros / 1e6),
    p50Ms: p50 / 1000,
    p99Ms: p99 / 1000,
    errors,
  };
}
