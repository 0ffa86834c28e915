// HTTPS load with or without a client certificate, which wrk cannot present. Node sends the requests
// in this process, so their cost does not count as time of the service.
import { Agent, request } from 'node:https';

const connections = 32;

/**
 * Posts the same `fields` to `route` repeatedly. `tls`: the `ca` of the server, and the `cert` and
 * `key` of the client.
 */
export function createTlsLoad({ route, fields, tls }) {
  const agent = new Agent({ ...tls, keepAlive: true, maxSockets: connections });
  const body = JSON.stringify(fields);
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  const send = (port) =>
    new Promise((resolve, reject) => {
      const options = { agent, method: 'POST', headers };
      const sent = request(`https://127.0.0.1:${port}${route}`, options, async (response) => {
        try {
          const chunks = await response.toArray();
          resolve({ status: response.statusCode, text: Buffer.concat(chunks).toString() });
        } catch (error) {
          reject(error);
        }
      });
      sent.once('error', reject).end(body);
    });

  return {
    description: `Node, ${connections} TLS connections, keep-alive`,
    connections,

    async probe(port) {
      const { status, text } = await send(port);
      if (status !== 200) throw new Error(`${route} answered ${status}: ${text}`);
    },

    async run(port, seconds) {
      const times = [];
      let errors = 0;
      const start = performance.now();
      const end = start + seconds * 1_000;
      const repeat = async () => {
        for (let now = performance.now(); now < end; ) {
          const { status } = await send(port);
          if (status !== 200) errors++;
          const later = performance.now();
          times.push(later - now);
          now = later;
        }
      };
      await Promise.all(Array.from({ length: connections }, repeat));
      const micros = (performance.now() - start) * 1_000;
      times.sort((a, b) => a - b);
      const at = (part) => times[Math.floor(part * (times.length - 1))];
      const requests = times.length - errors;
      const rate = requests / (micros / 1e6);
      return { requests, requestsPerSecond: rate, p50Ms: at(0.5), p99Ms: at(0.99), errors };
    },
  };
}
