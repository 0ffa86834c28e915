// The floor of documents. A bare node:http server stores uploads (read, SHA-256, write, fsync,
// rename) and sends files. A bare grpc-js server stores uploads.
import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { open, rename, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { Server, ServerCredentials } from '@grpc/grpc-js';
import { DocumentService } from '../../dist/gen/latchkey/sharing/v1/document_pb.js';
import { announce, readSettings } from './work.mjs';

const { folder } = readSettings();
const temporaryFile = () => path.join(folder, `${randomUUID()}.part`);

async function store(request, response) {
  const temporary = temporaryFile();
  const hash = createHash('sha256');
  request.on('data', (chunk) => hash.update(chunk));
  await pipeline(request, createWriteStream(temporary, { flush: true }));
  await rename(temporary, path.join(folder, path.basename(request.url)));
  const body = JSON.stringify({ sha256: hash.digest('hex') });
  response.writeHead(201, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  });
  response.end(body);
}

async function send(request, response) {
  const file = path.join(folder, path.basename(request.url));
  const { size } = await stat(file);
  const range = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '');
  const [start, end] = range === null ? [0, size - 1] : [Number(range[1]), Number(range[2])];
  response.writeHead(range === null ? 200 : 206, {
    'content-type': 'application/octet-stream',
    'content-length': end - start + 1,
    ...(range && { 'content-range': `bytes ${start}-${end}/${size}` }),
  });
  await pipeline(createReadStream(file, { start, end }), response);
}

const server = createServer((request, response) => {
  const handle = request.method === 'PUT' ? store : send;
  handle(request, response).catch(() => response.destroy());
});

const upload = DocumentService.methods.find(({ name }) => name === 'UploadDocument');

async function storeStream(call) {
  const temporary = temporaryFile();
  const hash = createHash('sha256');
  const handle = await open(temporary, 'wx');
  try {
    for await (const { file } of call) {
      hash.update(file);
      await handle.write(file);
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(temporary, path.join(folder, randomUUID()));
  return create(upload.output, { document: { sha256: hash.digest('hex') } });
}

const grpc = new Server();
grpc.addService(
  {
    UploadDocument: {
      path: `/${DocumentService.typeName}/${upload.name}`,
      requestStream: true,
      responseStream: false,
      requestSerialize: (bytes) => bytes,
      requestDeserialize: (bytes) => fromBinary(upload.input, bytes),
      responseSerialize: (message) => Buffer.from(toBinary(upload.output, message)),
      responseDeserialize: (bytes) => bytes,
    },
  },
  {
    UploadDocument(call, callback) {
      storeStream(call).then((answer) => callback(null, answer), callback);
    },
  },
);

server.listen(0, '127.0.0.1', () => {
  grpc.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) => {
    if (error) throw error;
    announce(`${server.address().port} ${port}`);
  });
});
