// HTTP load: wrk, one thread, keep-alive.
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { runTool } from '../processes.mjs';

const connections = 32;

/** The same JSON body posted to `route` again and again; every answer brings a token. */
export async function createHttpLoad({ folder, name, route, fields }) {
  const body = JSON.stringify(fields);
  const bodyFile = path.join(folder, `${name}.json`);
  await writeFile(bodyFile, body);
  const script = path.join(import.meta.dirname, 'post.lua');

  return {
    description: `wrk, 1 thread, ${connections} connections, keep-alive`,

    /** Throws unless the server gives a token. */
    async probe(port) {
      const headers = { 'content-type': 'application/json' };
      const url = `http://127.0.0.1:${port}${route}`;
      const response = await fetch(url, { method: 'POST', headers, body });
      const answer = await response.json();
      if (response.status !== 200 || !answer.access_token) {
        throw new Error(`${url} answered ${response.status}: ${JSON.stringify(answer)}`);
      }
    },

    async run(port, seconds) {
      const output = await runTool('wrk', [
        ...['--threads', '1', '--connections', String(connections)],
        ...['--duration', `${seconds}s`, '--script', script],
        ...[`http://127.0.0.1:${port}${route}`, '--', bodyFile],
      ]);
      const [, json] = /^RESULT (.*)$/m.exec(output) ?? [];
      if (json === undefined) throw new Error(`wrk said:\n${output}`);
      const { answers, micros, p50, p99, errors } = JSON.parse(json);
      return {
        requestsPerSecond: (answers - errors) / (micros / 1e6),
        p50Ms: p50 / 1000,
        p99Ms: p99 / 1000,
        errors,
      };
    },
  };
}
