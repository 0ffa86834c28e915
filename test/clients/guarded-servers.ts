// Servers with the middleware of @latchkey/verify. Each serves the same four methods.
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { ConnectRouter } from '@connectrpc/connect';
import { connectNodeAdapter } from '@connectrpc/connect-node';
import {
  Client,
  credentials,
  Metadata,
  Server,
  ServerCredentials,
  type ServerUnaryCall,
  type sendUnaryData,
} from '@grpc/grpc-js';
import express from 'express';
import fastify from 'fastify';
import type * as ConnectGuard from '../../clients/verify/src/connect.ts';
import type * as ExpressGuard from '../../clients/verify/src/express.ts';
import type * as FastifyGuard from '../../clients/verify/src/fastify.ts';
import type * as GrpcGuard from '../../clients/verify/src/grpc-js.ts';
import type * as Main from '../../clients/verify/src/index.ts';
import { AccountService } from '../../gen/latchkey/identity/v1/account_pb.js';
import { VerificationService } from '../../gen/latchkey/identity/v1/verification_pb.js';
import { WorkspaceService } from '../../gen/latchkey/sharing/v1/workspace_pb.js';
import type { Authority, KeyPair } from '../support/certificates.ts';
import type { PackedClients } from '../support/packed-clients.ts';
import { localNames, openHttp1 } from '../support/tls-app.ts';

/** Public; with a scope; with a scope and an account; without a rule. */
export type MethodName = 'open' | 'read' | 'account' | 'forgotten';

export type Outcome = {
  /** The HTTP status, also for gRPC. */
  readonly status: number;
  readonly challenge: string;
  /** The `sub` that the handler saw. */
  readonly sub: string;
};

export type GuardedServer = {
  /** Presents a certificate, if one is given. */
  call(method: MethodName, authorization?: string, pair?: KeyPair): Promise<Outcome>;
  close(): Promise<void> | void;
};

/** With an authority, the server uses TLS and asks for certificates of the authority. */
type StartServer = (
  packed: PackedClients,
  verifier: Main.Verifier,
  authority?: Authority,
) => Promise<GuardedServer>;

const tlsOf = (authority: Authority | undefined) => {
  if (authority === undefined) return undefined;
  const { certificate: cert, key } = authority.issue(localNames);
  return { cert, key, ca: authority.certificate, requestCert: true, rejectUnauthorized: false };
};

/** The account that every call accesses. */
export const accountId = 'acc_own';
const scope = 'accounts:read';

export const guardedServers: Readonly<Record<string, StartServer>> = {
  async Fastify(packed, verifier, authority) {
    const guard = await packed.load<typeof FastifyGuard>('@latchkey/verify/fastify');
    const app = fastify({ https: tlsOf(authority) ?? null });
    await app.register(guard.requireTokens, { verifier });
    const sub = async (request: object) => ({ sub: guard.claimsOf(request).sub });
    app.get('/open', { config: { access: { public: true } } }, async () => ({ sub: '' }));
    app.get('/read', { config: { access: { scope } } }, sub);
    app.get('/account', { config: { access: { scope, account: () => accountId } } }, sub);
    app.get('/forgotten', sub);
    const url = await app.listen();
    return { call: callByHttp(url, undefined, authority), close: () => app.close() };
  },

  async Express(packed, verifier, authority) {
    const guard = await packed.load<typeof ExpressGuard>('@latchkey/verify/express');
    const { requireToken, claimsOf } = guard;
    const app = express();
    app.get('/open', (_request, response) => void response.json({ sub: '' }));
    app.get('/read', requireToken(verifier, { scope }));
    app.get('/account', requireToken(verifier, { scope, account: () => accountId }));
    app.get('/forgotten', requireToken(verifier, { scope: 'forgotten:read' }));
    app.use((request, response) => void response.json({ sub: claimsOf(request).sub }));
    return serve(app, undefined, authority);
  },

  async Connect(packed, verifier, authority) {
    const guard = await packed.load<typeof ConnectGuard>('@latchkey/verify/connect');
    const rules: Record<string, ConnectGuard.ConnectRule> = {
      GetJwks: { public: true },
      ListAccounts: { scope },
      GetAccount: { scope, account: ({ message }) => accountIn(message) },
    };
    const routes = (router: ConnectRouter) => {
      const handle = (_request: object, context: Parameters<typeof guard.claimsOf>[0]) => {
        return { nextPageToken: guard.claimsOf(context).sub };
      };
      router.rpc(VerificationService.method.getJwks, () => ({}));
      router.rpc(AccountService.method.listAccounts, handle);
      router.rpc(AccountService.method.getAccount, (_request, context) => ({
        account: { id: guard.claimsOf(context).sub },
      }));
      router.rpc(WorkspaceService.method.listWorkspaces, handle);
    };
    const interceptors = [guard.requireTokens(verifier, ({ name }) => rules[name])];
    const { contextValuesOf: contextValues } = guard;
    const handler = connectNodeAdapter({ routes, interceptors, contextValues });
    return serve(handler, connectPaths, authority);
  },

  async 'grpc-js'(packed, verifier, authority) {
    const guard = await packed.load<typeof GrpcGuard>('@latchkey/verify/grpc-js');
    const { coversAccount } = await packed.load<typeof Main>('@latchkey/verify');
    const rules: Record<string, GrpcGuard.GrpcRule> = {
      '/test.Test/open': { public: true },
      '/test.Test/read': { scope },
      '/test.Test/account': { scope },
    };
    const server = new Server({
      interceptors: [guard.requireTokens(verifier, (path) => rules[path])],
    });
    const handle = (call: ServerUnaryCall<Buffer, Buffer>, done: sendUnaryData<Buffer>) => {
      if (call.getPath().endsWith('open')) return done(null, Buffer.from(''));
      const claims = guard.claimsOf(call.metadata);
      const isRefused = call.getPath().endsWith('account') && !coversAccount(claims, accountId);
      if (isRefused) done({ code: 7 });
      else done(null, Buffer.from(claims.sub));
    };
    const same = (bytes: Buffer) => bytes;
    const wire = { requestStream: false, responseStream: false } as const;
    const codec = { requestSerialize: same, requestDeserialize: same };
    const answers = { responseSerialize: same, responseDeserialize: same };
    const names = ['open', 'read', 'account', 'forgotten'];
    server.addService(
      Object.fromEntries(
        names.map((name) => [name, { path: `/test.Test/${name}`, ...wire, ...codec, ...answers }]),
      ),
      Object.fromEntries(names.map((name) => [name, handle])),
    );
    const port = await new Promise<number>((resolve, reject) =>
      server.bindAsync('127.0.0.1:0', serverCredentialsOf(authority), (error, bound) =>
        error === null ? resolve(bound) : reject(error),
      ),
    );
    return {
      async call(method, authorization, pair) {
        const client = new Client(`127.0.0.1:${port}`, clientCredentialsOf(authority, pair));
        return callByGrpc(client)(method, authorization).finally(() => client.close());
      },
      close: () => server.forceShutdown(),
    };
  },
};

function serverCredentialsOf(authority: Authority | undefined): ServerCredentials {
  const tls = tlsOf(authority);
  if (tls === undefined) return ServerCredentials.createInsecure();
  const pair = { private_key: Buffer.from(tls.key), cert_chain: Buffer.from(tls.cert) };
  return ServerCredentials.createSsl(Buffer.from(tls.ca), [pair], true);
}

function clientCredentialsOf(authority: Authority | undefined, pair: KeyPair | undefined) {
  if (authority === undefined) return credentials.createInsecure();
  const own = pair === undefined ? [] : [Buffer.from(pair.key), Buffer.from(pair.certificate)];
  return credentials.createSsl(Buffer.from(authority.certificate), ...own);
}

function accountIn(message: object): string | undefined {
  return 'accountId' in message ? String(message.accountId) : undefined;
}

const connectPaths: Record<MethodName, string> = {
  open: 'latchkey.identity.v1.VerificationService/GetJwks',
  read: 'latchkey.identity.v1.AccountService/ListAccounts',
  account: 'latchkey.identity.v1.AccountService/GetAccount',
  forgotten: 'latchkey.sharing.v1.WorkspaceService/ListWorkspaces',
};

async function serve(
  handler: Parameters<typeof createServer>[1],
  paths?: Record<MethodName, string>,
  authority?: Authority,
): Promise<GuardedServer> {
  const tls = tlsOf(authority);
  const server = tls === undefined ? createServer(handler) : createTlsServer(tls, handler);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    call: callByHttp(
      `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`,
      paths,
      authority,
    ),
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

type HttpRequest = {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body?: string;
};

async function sendByHttp(
  url: string,
  target: string,
  request: HttpRequest,
  tls: { readonly authority: Authority | undefined; readonly pair: KeyPair | undefined },
) {
  if (tls.authority === undefined) {
    const response = await fetch(url + target, request);
    const challenge = response.headers.get('www-authenticate');
    return { status: response.status, challenge, text: await response.text() };
  }
  const client = openHttp1(url, tls.authority.certificate, tls.pair);
  const { status, headers, body } = await client.send(target, request).finally(client.close);
  return { status, challenge: headers['www-authenticate'], text: String(body) };
}

function callByHttp(
  url: string,
  paths?: Record<MethodName, string>,
  authority?: Authority,
): GuardedServer['call'] {
  return async (name, authorization, pair) => {
    const headers = {
      'content-type': 'application/json',
      ...(authorization === undefined ? {} : { authorization }),
    };
    const post = {
      method: 'POST',
      body: name === 'account' ? JSON.stringify({ accountId }) : '{}',
    };
    const request = { ...(paths === undefined ? { method: 'GET' } : post), headers };
    const target = `/${paths?.[name] ?? name}`;
    const answer = await sendByHttp(url, target, request, { authority, pair });
    const body = JSON.parse(answer.text) as {
      sub?: string;
      nextPageToken?: string;
      account?: { id: string };
    };
    return {
      status: answer.status,
      challenge: String(answer.challenge ?? ''),
      sub: body.sub ?? body.nextPageToken ?? body.account?.id ?? '',
    };
  };
}

const statuses: Record<number, number> = { 7: 403, 14: 503, 16: 401 };

function callByGrpc(client: Client): GuardedServer['call'] {
  const same = (bytes: Buffer) => bytes;
  return (method, authorization) =>
    new Promise((resolve) => {
      const metadata = new Metadata();
      if (authorization !== undefined) metadata.set('authorization', authorization);
      const path = `/test.Test/${method}`;
      client.makeUnaryRequest(path, same, same, Buffer.from(''), metadata, (error, answer) => {
        const [challenge = ''] = error?.metadata.get('www-authenticate') ?? [];
        const status = error === null ? 200 : (statuses[error.code] ?? 500);
        resolve({ status, challenge: String(challenge), sub: String(answer ?? '') });
      });
    });
}
