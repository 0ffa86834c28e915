// Measures uploads and downloads of documents with the floor, the service and nginx.
import { createHash, randomBytes } from 'node:crypto';
import { DocumentService } from '../dist/gen/latchkey/sharing/v1/document_pb.js';
import { sendStreams } from './loads/grpc-uploads.mjs';
import { sendRequests } from './loads/uploads.mjs';
import { runWrk } from './loads/wrk.mjs';
import { otherBuild, ours, verdict } from './report.mjs';
import { startStores } from './stores.mjs';
import { withUsage } from './usage.mjs';

const connectionCounts = [1, 8, 32];
/** Enough requests for V8 to optimise the code of a server before the first round. */
const warmUp = { connections: 16, seconds: 10 };
const uploadMethod = DocumentService.methods.find(({ name }) => name === 'UploadDocument');
const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex');

/**
 * `kind` is a key of `loads`. A range is `[first byte, length]`. The targets are multiples of the
 * floor's.
 */
export const documentScenarios = [
  { name: 'upload-10kB', kind: 'upload', bytes: 10e3, cpuMax: 1.5, throughputMin: 0.7 },
  { name: 'upload-1MB', kind: 'upload', bytes: 1e6, cpuMax: 1.3, throughputMin: 0.8 },
  { name: 'upload-64MB', kind: 'upload', bytes: 64e6, cpuMax: 1.2, throughputMin: 0.85 },
  { name: 'upload-1MB-grpc', kind: 'stream', bytes: 1e6, cpuMax: 1.3, throughputMin: 0.8 },
  { name: 'download-1MB', kind: 'download', bytes: 1e6, cpuMax: 1.2, throughputMin: 0.85 },
  {
    name: 'download-64KiB-range',
    kind: 'download',
    bytes: 64e6,
    range: [32e6, 64 * 1024],
    cpuMax: 1.4,
    throughputMin: 0.75,
  },
];

/** Runs the scenarios. Returns the results for the report, and the verdicts. */
export async function runDocuments(chosen, folder, { rounds, seconds, ...stores }) {
  const { sides, stop } = await startStores(folder, stores);
  const results = [];
  const verdicts = [];
  for (const scenario of chosen) {
    const file = randomBytes(scenario.bytes);
    const load = loads[scenario.kind](scenario, file);
    const able = sides.filter((side) => load.takes(side));
    process.stdout.write(`${scenario.name}: ${load.description} `);
    for (const side of able) {
      await load.probe(side);
      await load.run(side, warmUp.connections, warmUp.seconds);
      await side.clear();
    }
    for (const connections of connectionCounts) {
      const servers = able.map(({ name }) => ({
        name,
        isRival: name === otherBuild,
        rounds: [],
        peakBytes: 0,
      }));
      for (let round = 0; round < rounds; round++) {
        for (const [i, side] of able.entries()) {
          const run = () => load.run(side, connections, seconds);
          servers[i].rounds.push(await withUsage(side.server, run));
          await side.clear();
          process.stdout.write('.');
        }
      }
      for (const [i, { server }] of able.entries()) servers[i].peakBytes = server.peakBytes();
      const name = `${scenario.name}, ${connections}`;
      results.push({ name, servers });
      const named = (wanted) => servers.find((server) => server.name === wanted);
      verdicts.push(verdict({ name, targets: scenario, floor: named('floor'), ours: named(ours) }));
    }
    for (const side of able) await load.probe(side);
    process.stdout.write('\n');
  }
  await stop();
  return { results, verdicts };
}

const loads = {
  upload(_, file) {
    const digest = sha256(file);
    const run = (side, connections, seconds) =>
      sendRequests({
        port: side.http,
        connections,
        seconds,
        requestOf: (n) => side.requestOf(file, n),
        isGood: (answer) => side.isStored(answer, digest),
      });
    return {
      description: 'our own generator, HTTP/1.1, keep-alive',
      takes: () => true,
      run,
      probe: probeBy(run),
    };
  },

  stream(_, file) {
    const digest = sha256(file);
    const run = (side, connections, seconds) =>
      sendStreams({
        port: side.grpc,
        connections,
        seconds,
        method: uploadMethod,
        file,
        headers: side.headers,
        isGood: (answer) => side.isStoredByGrpc(answer, digest),
      });
    return {
      description: 'node:http2, one stream a connection',
      takes: ({ grpc }) => grpc !== undefined,
      run,
      probe: probeBy(run),
    };
  },

  download({ range }, file) {
    const routes = new Map();
    const [first, length] = range ?? [0, file.length];
    const wanted = sha256(file.subarray(first, first + length));
    const rangeHeaders = range && { range: `bytes=${first}-${first + length - 1}` };
    const headersOf = (side) => ({ ...side.headers, ...rangeHeaders });
    async function urlOf(side) {
      if (!routes.has(side)) routes.set(side, await side.keep(file));
      return `http://127.0.0.1:${side.http}${routes.get(side)}`;
    }
    return {
      description: 'wrk, 1 thread, keep-alive',
      takes: () => true,
      run: async (side, connections, seconds) =>
        runWrk({ url: await urlOf(side), connections, seconds, headers: headersOf(side) }),
      async probe(side) {
        const answer = await fetch(await urlOf(side), { headers: headersOf(side) });
        const bytes = Buffer.from(await answer.arrayBuffer());
        if (answer.status !== (range ? 206 : 200) || sha256(bytes) !== wanted) {
          throw new Error(`${side.name} answered ${answer.status}, ${bytes.length} bytes`);
        }
      },
    };
  },
};

/** Sends one upload and throws if it fails. */
const probeBy = (run) => async (side) => {
  const { errors } = await run(side, 1, 0);
  if (errors > 0) throw new Error(`${side.name} did not store the upload`);
  await side.clear();
};
