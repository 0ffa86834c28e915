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

    /** Throws unless the response is good. */
    async probe(port) {
      const url = `http://127.0.0.1:${port}${route}`;
      const response = await fetch(url, {
        method: hasBody ? 'POST' : 'GET',
        headers,
        body,
      });
      const answer = await response.json();
      if (response.status !== 200 || !(await isGood(answer))) {
        throw new Error(`${url} answered ${response.status}: ${JSON.stringify(answer)}`);
      }
    },

    run(port, seconds, connections = allConnections) {
      const url = `http://127.0.0.1:${port}${route}`;
      return runWrk({ url, seconds, connections, headers, bodyFile });
    },
  };
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

/** Requests `url` repeatedly, with POST if there is a body file. Returns the result. */
export async function runWrk({ url, seconds, connections, headers = {}, bodyFile }) {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const output = await runTool('wrk', [
    ...['--threads', '1', '--connections', String(connections), '--duration', `${seconds}s`],
    ...['--script', path.join(import.meta.dirname, 'wrk.lua')],
    ...lines.flatMap((line) => ['--header', line]),
    ...[url, ...(bodyFile === undefined ? [] : ['--', bodyFile])],
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
