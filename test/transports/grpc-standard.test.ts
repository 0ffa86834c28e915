// The standard gRPC services, health checking and reflection, as bytes on the wire.
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { fromBinary } from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt';
import { Client, credentials, type ServiceError, type StatusObject, status } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { services } from '../../src/api/services.ts';
import { startTestApp } from '../support/harness.ts';
import { itHoldsFor } from '../support/rule.ts';
import { useStarted } from '../support/use-started.ts';

const app = useStarted(() => startTestApp());
let client: Client;
beforeAll(async () => {
  client = new Client(app.app.grpcAddress, credentials.createInsecure());
});
afterAll(async () => {
  client.close();
});

const keep = (bytes: Buffer) => bytes;

type Answer = { bytes: Buffer | undefined; error: ServiceError | null };

function call(path: string, request: Buffer): Promise<Answer> {
  return new Promise((resolve) => {
    client.makeUnaryRequest(path, keep, keep, request, (error, bytes) => resolve({ bytes, error }));
  });
}

describe('a health check', () => {
  const check = '/grpc.health.v1.Health/Check';
  /** Field 1 of the request, the name of a service. */
  const named = (service: string) =>
    Buffer.concat([Buffer.from([0x0a, service.length]), Buffer.from(service)]);

  itHoldsFor([
    '',
    'latchkey.identity.v1.IssuanceService',
    'latchkey.identity.v1.VerificationService',
    'latchkey.sharing.v1.DocumentService',
    'latchkey.sharing.v1.LinkService',
  ])('of every service is SERVING', async (service) => {
    const { bytes } = await call(check, service === '' ? Buffer.alloc(0) : named(service));
    expect(bytes?.toString('hex')).toBe('0801');
  });

  test('of unknown services can be watched, and their names are not stored', async () => {
    const request = named('latchkey.Nowhere');
    const path = '/grpc.health.v1.Health/Watch';
    const call = client.makeServerStreamRequest(path, keep, keep, request);
    call.on('error', () => {});
    const first = await new Promise<Buffer>((resolve) => call.once('data', resolve));
    call.cancel();
    // SERVICE_UNKNOWN
    expect(first.toString('hex')).toBe('0803');
  });

  test('of an unknown service is NOT_FOUND', async () => {
    const { error } = await call(check, named('latchkey.Nowhere'));
    expect(error?.code).toBe(status.NOT_FOUND);
  });

  test('can be watched', async () => {
    const watch = client.makeServerStreamRequest(
      '/grpc.health.v1.Health/Watch',
      keep,
      keep,
      Buffer.alloc(0),
    );
    watch.on('error', () => {});
    const first = await new Promise<Buffer>((resolve) => watch.once('data', resolve));
    watch.cancel();
    expect(first.toString('hex')).toBe('0801');
  });
});

describe('reflection', () => {
  /** Sends one request; returns the bytes of the answer, which contain the names as text. */
  async function ask(field: number, text: string): Promise<Buffer> {
    const stream = client.makeBidiStreamRequest(
      '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo',
      keep,
      keep,
    );
    const answer = new Promise<Buffer>((resolve, reject) => {
      stream.once('data', resolve).once('error', reject);
    });
    stream.write(Buffer.concat([Buffer.from([(field << 3) | 2, text.length]), Buffer.from(text)]));
    stream.end();
    return answer;
  }
  const listServices = 7;

  test('ends with INTERNAL after an invalid message, and ignores later messages', async () => {
    const valid = Buffer.concat([Buffer.from([(listServices << 3) | 2, 1]), Buffer.from('*')]);
    const invalid = Buffer.from([0x0f]);
    const failures: string[] = [];
    const versions = ['v1', 'v1alpha'];
    for (const version of versions) {
      const path = `/grpc.reflection.${version}.ServerReflection/ServerReflectionInfo`;
      const stream = client.makeBidiStreamRequest(path, keep, keep);
      let answers = 0;
      stream.on('data', () => answers++).on('error', () => {});
      for (const message of [valid, invalid, valid]) stream.write(message);
      const { code } = await new Promise<StatusObject>((resolve) => stream.once('status', resolve));
      if (code !== status.INTERNAL || answers !== 1)
        failures.push(`${version}: ${code} ${answers}`);
    }
    expect(failures).toEqual([]);
    expect(versions).toHaveLength(2);
  });
  const fileByFilename = 3;
  const fileContainingSymbol = 4;

  test('lists the services', async () => {
    const text = (await ask(listServices, '*')).toString('latin1');
    const names = text.match(/latchkey\.[a-z]+\.v1\.\w+Service/g);
    const all = Object.values(services).map(({ typeName }) => typeName);
    expect([...new Set(names)].sort()).toEqual(all.sort());
  });

  test('lists the standard services, and serves their files', async () => {
    const text = (await ask(listServices, '*')).toString('latin1');
    const standard = [
      'grpc.health.v1.Health',
      'grpc.reflection.v1.ServerReflection',
      'grpc.reflection.v1alpha.ServerReflection',
    ];
    for (const name of standard) {
      expect(text).toContain(name);
      expect(lengthDelimited(await ask(fileContainingSymbol, name), 4)).toHaveLength(1);
    }
  });

  itHoldsFor(['Status', 'ErrorInfo', 'RequestInfo', 'BadRequest', 'RetryInfo'])(
    'serves the files of google.rpc, which only errors refer to',
    async (name) => {
      const answer = await ask(fileContainingSymbol, `google.rpc.${name}`);
      expect(lengthDelimited(answer, 4)).toHaveLength(1);
    },
  );

  test('is enough for buf curl to call the health service', async () => {
    const buf = path.resolve(import.meta.dirname, '../../node_modules/.bin/buf');
    const url = `http://${app.app.grpcAddress}/grpc.health.v1.Health/Check`;
    const flags = ['curl', '--protocol', 'grpc', '--http2-prior-knowledge'];
    const { stdout } = await promisify(execFile)(buf, [...flags, url]);
    expect(JSON.parse(stdout)).toEqual({ status: 'SERVING' });
  });

  test('returns the file of a symbol and every imported file', async () => {
    const fileOf = async (field: number, text: string) => {
      const answer = lengthDelimited(await ask(field, text), 4)[0] ?? Buffer.alloc(0);
      const [file] = lengthDelimited(answer, 1);
      return fromBinary(FileDescriptorProtoSchema, file ?? Buffer.alloc(0));
    };
    const symbol = 'latchkey.sharing.v1.LinkService';
    const file = await fileOf(fileContainingSymbol, symbol);
    expect(file.name).toBe('latchkey/sharing/v1/link.proto');
    expect(file.dependency).toContain('google/api/annotations.proto');
    for (const name of file.dependency) {
      expect(await fileOf(fileByFilename, name)).toMatchObject({ name });
    }
  });

  test('returns NOT_FOUND for an unknown symbol', async () => {
    const bytes = await ask(fileContainingSymbol, 'latchkey.Nowhere');
    expect(lengthDelimited(bytes, 7)).toHaveLength(1);
  });
});

/** The length-delimited values of a field of a message. */
function lengthDelimited(message: Buffer, field: number): Buffer[] {
  const values: Buffer[] = [];
  let at = 0;
  const varint = () => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = message[at++] ?? 0;
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
  };
  while (at < message.length) {
    const tag = varint();
    const length = varint();
    if ((tag & 7) !== 2) continue;
    if (tag >> 3 === field) values.push(message.subarray(at, at + length));
    at += length;
  }
  return values;
}
