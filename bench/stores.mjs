// The servers that store documents: the floor, the service and nginx.
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { startNginx } from './nginx.mjs';
import { durable, startPostgres, withPostgres } from './postgres.mjs';
import { startServer, stopAll } from './processes.mjs';
import { otherBuild, ours } from './report.mjs';
import { startService } from './service.mjs';

/**
 * Starts the floor, the service, another build of it in the folder `other`, and nginx. `database`
 * is `sqlite` or `postgres`. `requestOf` returns the buffers of an upload request. `isStored` and,
 * over gRPC, `isStoredByGrpc` check a response. `keep` stores a file for downloads. `clear` deletes
 * all other files.
 */
export async function startStores(folder, { database, other }) {
  const postgres = database === 'postgres' ? await startPostgres(durable) : undefined;
  const sides = [
    await startFloor(folder),
    ...(other === undefined ? [] : [await startBuild(folder, otherBuild, postgres, other)]),
    await startBuild(folder, ours, postgres),
    await startPeer(folder),
  ];
  const stop = async () => {
    await stopAll();
    await postgres?.stop();
  };
  return { sides, stop };
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

/** The methods of a server that stores the body of a PUT as a file. */
function plainFiles(filesDir, port) {
  const kept = new Set();
  return {
    requestOf(file, n) {
      const head =
        `PUT /files/${n} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n` +
        `Content-Length: ${file.length}\r\n\r\n`;
      return [Buffer.from(head), file];
    },
    isStored({ status, body }, digest) {
      // nginx does not return a digest.
      const isSame = body === '' || body.startsWith('<') || JSON.parse(body).sha256 === digest;
      return (status === 201 || status === 204) && isSame;
    },
    isStoredByGrpc: ({ document }, digest) => document.sha256 === digest,
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

/** Starts the service that is built in the folder `build`. */
async function startBuild(folder, name, postgres, build) {
  const url = await postgres?.createDatabase();
  const settings = url === undefined ? {} : { LATCHKEY_DATABASE_URL: url };
  const service = await startService(folder, { name: name.replace(' ', '-'), settings, build });
  const { ports, apiKey } = service;
  const server = postgres ? withPostgres(service.server, postgres) : service.server;
  return { name, server, grpc: ports.gRPC, ...latchkey(ports.HTTP, apiKey) };
}

/** The methods of the service, which accepts a form. */
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
    /** `file`: a buffer or an array of buffers. */
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
    isStoredByGrpc({ document }, digest) {
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
