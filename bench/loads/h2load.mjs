// gRPC load: h2load posts one length-prefixed message again and again over HTTP/2.
import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { Client, credentials } from '@grpc/grpc-js';
import {
  IssuanceService,
  IssueTokenRequestSchema,
  IssueTokenResponseSchema,
} from '../../dist/gen/latchkey/identity/v1/issuance_pb.js';
import { runTool } from '../processes.mjs';

const connections = 4;
const streams = 8;
const method = `/${IssuanceService.typeName}/IssueToken`;

/** An IssueToken call over gRPC. */
export async function createGrpcLoad({ folder, client }) {
  const message = toBinary(
    IssueTokenRequestSchema,
    create(IssueTokenRequestSchema, {
      clientId: client.id,
      clientSecret: client.secret,
      scope: client.scope,
    }),
  );
  const bodyFile = path.join(folder, 'request.grpc');
  await writeFile(bodyFile, frame(message));
  const logFile = path.join(folder, 'h2load.tsv');
  const answerBytes = new Map();

  return {
    tool: 'h2load',
    description: `h2load, 1 thread, ${connections} connections of ${streams} streams`,

    /** Throws unless the server gives a token; learns how long its answer is. */
    async probe(port) {
      const bytes = await callOnce(port, message);
      const { accessToken } = fromBinary(IssueTokenResponseSchema, bytes);
      if (accessToken === '') throw new Error(`the gRPC server at ${port} gave no token`);
      answerBytes.set(port, frame(bytes).length);
    },

    async run(port, seconds) {
      const output = await runTool('h2load', [
        ...['--threads=1', `--clients=${connections}`, `--max-concurrent-streams=${streams}`],
        ...[`--duration=${seconds}`, `--data=${bodyFile}`, `--log-file=${logFile}`],
        ...['--header=content-type: application/grpc', '--header=te: trailers'],
        `http://127.0.0.1:${port}${method}`,
      ]);
      const latencies = await readLatencies(logFile);
      const { answered, failed, dataBytes } = readSummary(output);
      // An error of gRPC is a 200 too, but brings no message: tokens are counted by their bytes.
      const tokens = Math.min(answered, Math.round(dataBytes / answerBytes.get(port)));
      return {
        requestsPerSecond: tokens / seconds,
        p50Ms: percentile(latencies, 0.5),
        p99Ms: percentile(latencies, 0.99),
        errors: failed + answered - tokens,
      };
    },
  };
}

/** gRPC's framing: not compressed, four bytes of length. */
function frame(message) {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

function callOnce(port, message) {
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
  const keep = (bytes) => bytes;
  return new Promise((resolve, reject) => {
    client.makeUnaryRequest(method, Buffer.from, keep, message, (error, bytes) => {
      client.close();
      if (error) reject(error);
      else resolve(bytes);
    });
  });
}

function readSummary(output) {
  const number = (pattern) => {
    const [, digits] = pattern.exec(output) ?? [];
    if (digits === undefined) throw new Error(`h2load said:\n${output}`);
    return Number(digits);
  };
  return {
    answered: number(/ (\d+) succeeded,/),
    failed: number(/ (\d+) failed,/) + number(/ (\d+) timeout/),
    dataBytes: number(/^traffic: .*\((\d+)\) data$/m),
  };
}

/** In milliseconds, in ascending order. */
async function readLatencies(file) {
  const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
  await rm(file);
  return Float64Array.from(lines, (line) => Number(line.split('\t')[2]) / 1000).sort();
}

function percentile(sorted, share) {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}
