// The scenarios. Each one has a call, a transport, a load and targets relative to the floor.
import { IssuanceService } from '../dist/gen/latchkey/identity/v1/issuance_pb.js';
import { VerificationService } from '../dist/gen/latchkey/identity/v1/verification_pb.js';
import { createFreshLoad } from './loads/fresh.mjs';
import { createGrpcLoad } from './loads/h2load.mjs';
import { createHttpLoad } from './loads/wrk.mjs';
import { issueToken } from './service.mjs';

const scope = 'accounts:read payments:write';
const keyScope = 'accounts:read payments:read';
/** Multiples of the floor's. */
const overHttp = { cpuMax: 1, throughputMin: 0.85, p99Max: 2 };
const overGrpc = { cpuMax: 1, throughputMin: 0.9 };

const methodOf = (service, name) => service.methods.find((method) => method.name === name);
const issue = methodOf(IssuanceService, 'IssueToken');
const exchange = methodOf(IssuanceService, 'ExchangeApiKey');
const verify = methodOf(VerificationService, 'VerifyToken');

const hasToken = ({ accessToken }) => accessToken !== '';
const isActive = ({ active }) => active;

/** `createLoad` is called just before the rounds, so that its tokens do not expire during them. */
export const scenarios = [
  {
    name: 'issue-http',
    title: 'IssueToken, HTTP',
    transport: 'HTTP',
    targets: overHttp,
    createLoad: ({ client }, folder) =>
      createHttpLoad({
        folder,
        name: 'issue',
        route: '/tokens',
        fields: { client_id: client.id, client_secret: client.secret, scope },
      }),
  },
  {
    name: 'issue-grpc',
    title: 'IssueToken, gRPC',
    transport: 'gRPC',
    targets: overGrpc,
    createLoad: ({ client }, folder) =>
      createGrpcLoad({
        folder,
        name: 'issue',
        method: issue,
        fields: { clientId: client.id, clientSecret: client.secret, scope },
        isGood: hasToken,
      }),
  },
  {
    name: 'exchange-http',
    title: 'ExchangeApiKey, HTTP',
    transport: 'HTTP',
    targets: overHttp,
    createLoad: ({ customer }, folder) =>
      createHttpLoad({
        folder,
        name: 'exchange',
        route: '/tokens/api-key',
        fields: { api_key: customer.key, scope: keyScope },
      }),
  },
  {
    name: 'exchange-grpc',
    title: 'ExchangeApiKey, gRPC',
    transport: 'gRPC',
    targets: overGrpc,
    createLoad: ({ customer }, folder) =>
      createGrpcLoad({
        folder,
        name: 'exchange',
        method: exchange,
        fields: { apiKey: customer.key, scope: keyScope },
        isGood: hasToken,
      }),
  },
  {
    name: 'verify-fresh',
    title: 'VerifyToken, new tokens',
    transport: 'gRPC',
    targets: { cpuMax: 0.8, throughputMin: 1 },
    createLoad: async (service, _, seconds) =>
      createFreshLoad({
        port: service.ports.gRPC,
        issue,
        verify,
        issueFields: { clientId: service.client.id, clientSecret: service.client.secret, scope },
        authorization: `Bearer ${await issueToken(service, 'tokens:read')}`,
        seconds,
      }),
  },
  {
    name: 'verify-repeated',
    title: 'VerifyToken, one token',
    transport: 'gRPC',
    // The floor checks the signature each time.
    targets: { cpuMax: 0.6, throughputMin: 1.6 },
    createLoad: async (service, folder) =>
      createGrpcLoad({
        folder,
        name: 'verify',
        method: verify,
        fields: { token: await issueToken(service, scope) },
        authorization: `Bearer ${await issueToken(service, 'tokens:read')}`,
        isGood: isActive,
      }),
  },
];
