// gRPC load: h2load posts the same length-prefixed message repeatedly over HTTP/2.
import { randomUUID } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { runTool } from '../processes.mjs';
import {
  connections as allConnections,
  callOnce,
  decode,
  encode,
  frame,
  pathOf,
  percentile,
  streams,
} from './grpc.mjs';

/** Calls `method` repeatedly with the same message. `isGood` checks a response. */
export async function createGrpcLoad({ folder, name, method, fields, authorization, isGood }) {
  const message = encode(method, fields);
  const bodyFile = path.join(folder, `${name}.grpc`);
  await writeFile(bodyFile, frame(message));
  const answerBytes = new Map();
  const headers = ['content-type: application/grpc', 'te: trailers'];
  if (authorization !== undefined) headers.push(`authorization: ${authorization}`);

  return {
    description: `h2load, 1 thread, ${allConnections} connections of ${streams} streams`,
    connections: allConnections,

    /** Throws unless the response is good. Remembers its length. */
    async probe(port) {
      const bytes = await callOnce(port, method, message, authorization);
      if (!isGood(decode(method, bytes)))
        throw new Error(`${name}: unexpected response at ${port}`);
      answerBytes.set(port, frame(bytes).length);
    },

    async run(port, seconds, connections = allConnections) {
      // Several may run at the same time.
      const logFile = path.join(folder, `${name}-${randomUUID()}.tsv`);
      const output = await runTool('h2load', [
        ...['--threads=1', `--clients=${connections}`, `--max-concurrent-streams=${streams}`],
        ...[`--duration=${seconds}`, `--data=${bodyFile}`, `--log-file=${logFile}`],
        ...headers.map((header) => `--header=${header}`),
        `http://127.0.0.1:${port}${pathOf(method)}`,
      ]);
      const latencies = await readLatencies(logFile);
      const { answered, failed, dataBytes } = readSummary(output);
      // A gRPC error also has status 200 but no message, so responses are counted by their bytes.
      const good = Math.min(answered, Math.round(dataBytes / answerBytes.get(port)));
      return {
        requests: good,
        requestsPerSecond: good / seconds,
        p50Ms: percentile(latencies, 0.5),
        p99Ms: percentile(latencies, 0.99),
        errors: failed + answered - good,
      };
    },
  };
}

function readSummary(output) {
  const number = (pattern) => {
    const [, digits] = pattern.exec(output) ?? [];
    if (digits === undefined) throw new Error(`unexpected output of h2load:\n${output}`);
    return Number(digits);
  };
  return {
    answered: number(/ (\d+) succeeded,/),
    failed: number(/ (\d+) failed,/) + number(/ (\d+) timeout/),
    dataBytes: number(/^traffic: .*\((\d+)\) data$/m),
  };
}

/** Returns the latencies in milliseconds, in ascending order. */
async function readLatencies(file) {
  const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
  await rm(file);
  return Float64Array.from(lines, (line) => Number(line.split('\t')[2]) / 1000).sort();
}
