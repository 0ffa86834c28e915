// HTTP load: wrk, one thread, keep-alive.
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { runTool } from '../processes.mjs';

const connections = 32;

/** Posts the same JSON body to `route` repeatedly. Every response must contain a token. */
export async function createHttpLoad({ folder, name, route, fields }) {
  const body = JSON.stringify(fields);
  const bodyFile = path.join(folder, `${name}.json`);
  await writeFile(bodyFile, body);

  return {
    description: `wrk, 1 thread, ${connections} connections, keep-alive`,

    /** Throws unless the response contains a token. */
    async probe(port) {
      const headers = { 'content-type': 'application/json' };
      const url = `http://127.0.0.1:${port}${route}`;
      const response = await fetch(url, { method: 'POST', headers, body });
      const answer = await response.json();
      if (response.status !== 200 || !answer.access_token) {
        throw new Error(`${url} answered ${response.status}: ${JSON.stringify(answer)}`);
      }
    },

    run: (port, seconds) =>
      runWrk({ url: `http://127.0.0.1:${port}${route}`, seconds, connections, bodyFile }),
  };
}

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
    requestsPerSecond: (answers - errors) / (micros / 1e6),
    p50Ms: p50 / 1000,
    p99Ms: p99 / 1000,
    errors,
  };
}
