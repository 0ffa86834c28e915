// The same call over each transport, with the headers of a trace.
import { Client, credentials, Metadata } from '@grpc/grpc-js';
import type { RunningProgram } from './program.ts';

type Headers = Record<string, string>;

const service = 'latchkey.identity.v1.VerificationService';

/** Sends the call through each transport. */
export const getJwks = {
  async http({ env }: RunningProgram, headers: Headers): Promise<void> {
    await expectOk(fetch(`${env.LATCHKEY_BASE_URL}/.well-known/jwks.json`, { headers }));
  },

  async connect({ env }: RunningProgram, headers: Headers): Promise<void> {
    await expectOk(
      fetch(`${new URL(env.LATCHKEY_BASE_URL).origin}/${service}/GetJwks`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: '{}',
      }),
    );
  },

  async grpcWeb({ env }: RunningProgram, headers: Headers): Promise<void> {
    await expectOk(
      fetch(`${new URL(env.LATCHKEY_BASE_URL).origin}/${service}/GetJwks`, {
        method: 'POST',
        headers: { 'content-type': 'application/grpc-web+proto', 'x-grpc-web': '1', ...headers },
        body: new Uint8Array(5),
      }),
    );
  },

  grpc({ env }: RunningProgram, headers: Headers): Promise<void> {
    // Clients share connections otherwise.
    const options = { 'grpc.use_local_subchannel_pool': 1 };
    const insecure = credentials.createInsecure();
    const client = new Client(env.LATCHKEY_GRPC_ADDRESS, insecure, options);
    const metadata = new Metadata();
    for (const [name, value] of Object.entries(headers)) metadata.set(name, value);
    const keep = (bytes: Buffer) => bytes;
    return new Promise((resolve, reject) => {
      const path = `/${service}/GetJwks`;
      client.makeUnaryRequest(path, keep, keep, Buffer.alloc(0), metadata, (error) => {
        client.close();
        if (error === null) resolve();
        else reject(error);
      });
    });
  },
};

async function expectOk(pending: Promise<Response>): Promise<void> {
  const response = await pending;
  await response.arrayBuffer();
  if (response.status !== 200) throw new Error(`status ${response.status}`);
}
