// Documents up and down: the service, its floor, and nginx beside them.
import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { DocumentService } from '../dist/gen/latchkey/sharing/v1/document_pb.js';
import { sendStreams } from './loads/grpc-uploads.mjs';
import { sendRequests } from './loads/uploads.mjs';
import { runWrk } from './loads/wrk.mjs';
import { startNginx } from './nginx.mjs';
import { startServer, stopAll } from './processes.mjs';
import { verdict } from './report.mjs';
import { startService } from './service.mjs';

const connectionCounts = [1, 8, 32];
const uploadMethod = DocumentService.methods.find(({ name }) => name === 'UploadDocument');
const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex');

/** `kind` is one of `loads`; a range is `[first byte, length]`. */
export const documentScenarios = [
  { name: 'upload-10kB', kind: 'upload', bytes: 10e3, throughputMin: 0.6 },
  { name: 'upload-1MB', kind: 'upload', bytes: 1e6, throughputMin: 0.8 },
  { name: 'upload-64MB', kind: 'upload', bytes: 64e6, throughputMin: 0.8 },
  { name: 'upload-1MB-grpc', kind: 'stream', bytes: 1e6, throughputMin: 0.8 },
  { name: 'download-1MB', kind: 'download', bytes: 1e6, throughputMin: 0.8 },
  {
    name: 'download-64KiB-range',
    kind: 'download',
    bytes: 64e6,
    range: [32e6, 64 * 1024],
    throughputMin: 0.6,
  },
];

/** Runs the scenarios, and returns the servers of the report and the verdicts. */
export async function runDocuments(chosen, folder, { rounds, seconds }) {
  const sides = await startSides(folder);
  const servers = [];
  const verdicts = [];
  for (const scenario of chosen) {
    const file = randomBytes(scenario.bytes);
    const load = loads[scenario.kind](scenario, file);
    const able = sides.filter((side) => load.takes(side));
    process.stdout.write(`${scenario.name}: ${load.description} `);
    for (const side of able) {
      await load.probe(side);
      await load.run(side, 1, 1);
      await side.clear();
    }
    for (const connections of connectionCounts) {
      const results = able.map((side) => ({
        name: `${scenario.name}, ${connections} at a time, ${side.name}`,
        side,
        rounds: [],
        peakBytes: 0,
      }));
      for (let round = 0; round < rounds; round++) {
        for (const { side, rounds } of results) {
          rounds.push(await load.run(side, connections, seconds));
          await side.clear();
          process.stdout.write('.');
        }
      }
      for (const result of results) result.peakBytes = result.side.server.peakBytes();
      servers.push(...results);
      verdicts.push(
        verdict({
          name: `${scenario.name}, ${connections} at a time`,
          targets: { throughputMin: scenario.throughputMin },
          floor: results.find(({ side }) => side.name === 'floor'),
          ours: results.find(({ side }) => side.name === 'Latchkey'),
        }),
      );
    }
    for (const side of able) await load.probe(side);
    process.stdout.write('\n');
  }
  await stopAll();
  return { servers, verdicts };
}

/** Floor, ours, nginx: how each takes a file over HTTP, and how it forgets what it took. */
async function startSides(folder) {
  return [await startFloor(folder), await startOurs(folder), await startPeer(folder)];
}

async function startFloor(folder) {
  const filesDir = path.join(folder, 'floor-files');
  await mkdir(filesDir);
  const server = await startServer({
    script: path.join(import.meta.dirname, 'floors/files.mjs'),
    env: { FLOOR_SETTINGS: JSON.stringify({ folder: filesDir }) },
    logFile: path.join(folder, 'floor-files.log'),
  });
  const [, http, grpc] = /ready: (\d+) (\d+)/.exec(server.said);
  return { name: 'floor', server, http, grpc, headers: {}, ...plainFiles(filesDir, http) };
}

async function startPeer(folder) {
  const filesDir = path.join(folder, 'nginx-files');
  await mkdir(filesDir);
  const server = await startNginx(folder, filesDir);
  const http = server.said;
  return { name: 'nginx', server, http, headers: {}, ...plainFiles(filesDir, http) };
}

/** What stores the body of a PUT as a file. */
function plainFiles(filesDir, port) {
  const kept = new Set();
  return {
    requestOf(file, n) {
      const head =
        `PUT /files/${n} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n` +
        `Content-Length: ${file.length}\r\n\r\n`;
      return [Buffer.from(head), file];
    },
    isStored: ({ status }) => status === 201 || status === 204,
    async keep(file) {
      const name = `kept-${kept.size}`;
      kept.add(name);
      await writeFile(path.join(filesDir, name), file);
      return `/files/${name}`;
    },
    async clear() {
      const names = (await readdir(filesDir)).filter((name) => !kept.has(name));
      await Promise.all(names.map((name) => rm(path.join(filesDir, name))));
    },
  };
}

async function startOurs(folder) {
  const service = await startService(folder, { name: 'documents' });
  const { server, ports, apiKey } = service;
  return { name: 'Latchkey', server, grpc: ports.gRPC, ...latchkey(ports.HTTP, apiKey) };
}

/** What takes a form, as Latchkey over HTTP. */
export function latchkey(port, apiKey) {
  const headers = { authorization: `Bearer ${apiKey}` };
  const documents = `http://127.0.0.1:${port}/api/v1/documents`;
  const stored = [];
  const boundary = 'a-boundary-that-random-bytes-do-not-hold';
  const before = Buffer.from(
    `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="deck.bin"\r\n` +
      'Content-Type: application/octet-stream\r\n\r\n',
  );
  const after = Buffer.from(`\r\n--${boundary}--\r\n`);
  return {
    http: port,
    headers,
    /** `file`: one buffer, or several. */
    requestOf(file) {
      const parts = [before, ...[file].flat(), after];
      const length = parts.reduce((sum, part) => sum + part.length, 0);
      const head =
        `POST /api/v1/documents HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n` +
        `Authorization: ${headers.authorization}\r\nContent-Length: ${length}\r\n` +
        `Content-Type: multipart/form-data; boundary=${boundary}\r\n\r\n`;
      return [Buffer.from(head), ...parts];
    },
    isStored({ status, body }, digest) {
      if (status !== 201) return false;
      const document = JSON.parse(body);
      stored.push(document.id);
      return document.sha256 === digest;
    },
    isStoredAs({ document }, digest) {
      stored.push(document.id);
      return document.sha256 === digest;
    },
    async keep(file) {
      const body = new FormData();
      body.set('file', new Blob([file]), 'deck.bin');
      const answer = await fetch(documents, { method: 'POST', headers, body });
      return `/api/v1/documents/${(await answer.json()).id}/file`;
    },
    async clear() {
      const ids = stored.splice(0);
      const remove = async () => {
        for (let id = ids.pop(); id !== undefined; id = ids.pop()) {
          const { ok } = await fetch(`${documents}/${id}`, { method: 'DELETE', headers });
          if (!ok) throw new Error(`${id} could not be deleted`);
        }
      };
      await Promise.all(Array.from({ length: 8 }, remove));
    },
  };
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
        isGood: (answer) => side.isStoredAs?.(answer, digest) ?? answer.document.sha256 === digest,
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

/** One upload that has to be good. */
const probeBy = (run) => async (side) => {
  const { errors } = await run(side, 1, 0);
  if (errors > 0) throw new Error(`${side.name} did not store what was sent`);
  await side.clear();
};
