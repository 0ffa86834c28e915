// The memory budget for the bodies of gRPC calls, and their deadlines.
import { create, createRegistry, toBinary } from '@bufbuild/protobuf';
import type { HandlerContext } from '@connectrpc/connect';
import { Client, credentials, Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import {
  IssuanceService,
  IssueTokenRequestSchema,
} from '../../gen/latchkey/identity/v1/issuance_pb.js';
import { VerificationService } from '../../gen/latchkey/identity/v1/verification_pb.js';
import { type BodyBudget, createBodyBudgets } from '../../src/api/body-budget.ts';
import type { Handler } from '../../src/api/endpoint.ts';
import type { Observation } from '../../src/api/method-guard.ts';
import { createResponseBudget } from '../../src/api/response-budget.ts';
import { createAdmission } from '../../src/transports/admission.ts';
import { type GrpcTransport, startGrpcTransport } from '../../src/transports/grpc/server.ts';
import { type BoundSocket, bindSocket } from '../../src/transports/socket.ts';
import { openCall, openSession, prefix } from '../support/raw-grpc.ts';
import { endpointsOf } from '../support/test-protos.ts';

const verifyToken = '/latchkey.identity.v1.VerificationService/VerifyToken';
const issueToken = '/latchkey.identity.v1.IssuanceService/IssueToken';

const fields = { clientId: 'client', clientSecret: 'secret', scope: 'tokens:read' };
const small = toBinary(IssueTokenRequestSchema, create(IssueTokenRequestSchema, fields));
const smallBody = Buffer.concat([prefix(small.length), small]);

describe('the gRPC server', () => {
  let budget: BodyBudget;
  let transport: GrpcTransport;
  let socket: BoundSocket;
  const observed: Observation[] = [];
  let handle: (context: HandlerContext) => unknown = () => ({});
  beforeAll(async () => {
    const bodies = createBodyBudgets({ bytesMax: 512 * 1024 });
    budget = bodies.anonymous;
    const handler = ((_request: never, context: HandlerContext) => handle(context)) as Handler;
    const services = [IssuanceService, VerificationService];
    const registry = createRegistry(...services);
    const observe = (observation: Observation) => void observed.push(observation);
    const endpoints = services.flatMap(({ typeName }) =>
      endpointsOf(registry, typeName, () => handler, observe),
    );
    socket = await bindSocket({ host: '127.0.0.1', port: 0 });
    const responses = createResponseBudget({ bytesMax: 1024 * 1024 });
    const admission = createAdmission({ warn: () => {} });
    const limits = { trailingBodyMs: 300 };
    const budgets = { bodies, responses, admission };
    transport = await startGrpcTransport({ endpoints, ...budgets, socket, limits });
  });
  afterAll(() => transport.close());

  async function openLocal() {
    const opened = await openSession(`127.0.0.1:${socket.port}`);
    onTestFinished(() => opened.destroy());
    return opened;
  }

  test('counts bodies until they end, and then refuses large ones, but no small one', async () => {
    const opened = await openLocal();
    const large = () => {
      const call = openCall(opened, issueToken);
      call.stream.write(Buffer.concat([prefix(200_000), Buffer.alloc(150_000)]));
      return call;
    };
    const first = large();
    await expect.poll(() => budget.bytesHeld()).toBeGreaterThan(150_000);
    const second = large();
    expect(await second.status).toBe(String(status.UNAVAILABLE));
    const small = openCall(opened, issueToken);
    small.stream.end(smallBody);
    expect(await small.status).toBe('0');
    first.stream.close(8);
    await expect.poll(() => budget.bytesHeld()).toBe(0);
  });

  test('does not count the rest of a refused body', async () => {
    const call = openCall(await openLocal(), verifyToken);
    expect(await call.status).toBe(String(status.UNAUTHENTICATED));
    call.stream.write(Buffer.concat([prefix(200_000), Buffer.alloc(150_000)]));
    await expect.poll(() => call.stream.closed).toBe(true);
    expect(budget.bytesHeld()).toBe(0);
  });

  test('counts a compressed message by its maximum decompressed size', async () => {
    const opened = await openLocal();
    const call = openCall(opened, issueToken, { 'grpc-encoding': 'gzip' });
    call.stream.write(prefix(100, 1));
    expect(await call.status).toBe(String(status.UNAVAILABLE));
  });

  test('releases the memory of a call at its deadline, and aborts its handler', async () => {
    const reasons: unknown[] = [];
    handle = async ({ signal }) => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      reasons.push(signal.reason);
      signal.throwIfAborted();
    };
    observed.length = 0;
    const client = new Client(`127.0.0.1:${socket.port}`, credentials.createInsecure());
    onTestFinished(() => client.close());
    // The deadline includes no connection, so that the handler begins before it.
    await new Promise<void>((resolve) => client.waitForReady(Infinity, () => resolve()));
    const keep = (bytes: Buffer) => bytes;
    const bytes = smallBody.subarray(5);
    const error = await new Promise<ServiceError | null>((resolve) => {
      const options = { deadline: Date.now() + 1_000 };
      client.makeUnaryRequest(issueToken, keep, keep, bytes, new Metadata(), options, resolve);
    });
    expect(error?.code).toBe(status.DEADLINE_EXCEEDED);
    await expect.poll(() => reasons).toMatchObject([{ code: 'canceled' }]);
    await expect.poll(() => observed.map(({ failure }) => failure?.code)).toEqual(['canceled']);
  });

  test('aborts the signal of a handler that reads it after the deadline', async () => {
    const seen: boolean[] = [];
    let release = () => {};
    const deadlinePassed = new Promise<void>((resolve) => {
      release = resolve;
    });
    handle = async (context) => {
      await deadlinePassed;
      seen.push(context.signal.aborted);
      return {};
    };
    const call = openCall(await openLocal(), issueToken, { 'grpc-timeout': '1000m' });
    call.stream.end(smallBody);
    expect(await call.status).toBe(String(status.DEADLINE_EXCEEDED));
    release();
    await expect.poll(() => seen).toEqual([true]);
  });
});
