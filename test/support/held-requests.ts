// Requests whose last bytes the client holds back, on each transport.
import { type DescMethod, type Message, toBinary, toJsonString } from '@bufbuild/protobuf';
import { onTestFinished } from 'vitest';
import type { App } from '../../src/boot/app.ts';
import type { TransportName } from './matrix.ts';
import { openCall, openSession, prefix } from './raw-grpc.ts';
import { openRawHttp, requestHead } from './raw-http.ts';
import { type Credential, headersOf, httpRequestOf } from './transports.ts';

export type HeldRequest = {
  /** Sends the rest. Returns the error's code, or `ok`. */
  finish(): Promise<string>;
};

/** Sends a request of a unary method without its last byte. */
export function holdRequest(
  app: App,
  transport: TransportName,
  method: DescMethod,
  message: Message,
  credential: Credential,
): Promise<HeldRequest> {
  const rpcPath = `/${method.parent.typeName}/${method.name}`;
  switch (transport) {
    case 'http': {
      const { verb, path, body } = httpRequestOf(method, message);
      return holdJson(app, { verb, path, json: JSON.stringify(body), credential });
    }
    case 'connect': {
      const json = toJsonString(method.input, message);
      return holdJson(app, { verb: 'POST', path: rpcPath, json, credential });
    }
    case 'grpc':
      return holdGrpc(app, rpcPath, toBinary(method.input, message), credential);
  }
}

type JsonRequest = {
  readonly verb: string;
  readonly path: string;
  readonly json: string;
  readonly credential: Credential;
};

async function holdJson(
  app: App,
  { verb, path, json, credential }: JsonRequest,
): Promise<HeldRequest> {
  const connection = await openRawHttp(Number(new URL(app.publicUrl).port));
  onTestFinished(() => connection.reset());
  const body = Buffer.from(json);
  const head = requestHead(verb, path, {
    Host: 'latchkey.test',
    ...headersOf(credential),
    'Content-Type': 'application/json',
    'Content-Length': String(body.length),
  });
  await connection.write(head);
  await connection.write(body.subarray(0, -1));
  return {
    async finish() {
      await connection.write(body.subarray(-1));
      const response = await connection.response();
      if (response === undefined) return 'closed';
      if (response.status < 300) return 'ok';
      return String(JSON.parse(String(response.body)).code);
    },
  };
}

const grpcNames: Record<string, string> = { '0': 'ok', '7': 'forbidden', '16': 'unauthenticated' };

async function holdGrpc(
  app: App,
  path: string,
  message: Uint8Array,
  credential: Credential,
): Promise<HeldRequest> {
  const session = await openSession(app.grpcAddress);
  onTestFinished(() => session.destroy());
  const call = openCall(session, path, headersOf(credential));
  const body = Buffer.concat([prefix(message.length), message]);
  call.stream.write(body.subarray(0, -1));
  return {
    async finish() {
      call.stream.end(body.subarray(-1));
      const status = await call.status;
      return grpcNames[status] ?? status;
    },
  };
}
