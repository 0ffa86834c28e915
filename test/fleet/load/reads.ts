// The requests of the load that change nothing.
import {
  IssuanceService,
  type IssueTokenResponse,
} from '../../../gen/latchkey/identity/v1/issuance_pb.js';
import { VerificationService } from '../../../gen/latchkey/identity/v1/verification_pb.js';
import { DocumentService } from '../../../gen/latchkey/sharing/v1/document_pb.js';
import type { Calls } from '../../support/campaign-calls.ts';
import type { SeededRandom } from '../../support/seeded-random.ts';
import { sha256 } from '../../support/sharing-api.ts';
import type { Fleet } from '../fleet.ts';
import type { GrpcClient } from './grpc.ts';
import type { HttpClient } from './http.ts';
import type { Tally } from './tally.ts';

const tokensKept = 200;
const tokenAgeMs = 120_000;

export type ReadOptions = {
  readonly fleet: Fleet;
  readonly http: HttpClient;
  readonly grpc: GrpcClient;
  readonly calls: Calls;
  readonly tally: Tally;
  readonly random: SeededRandom;
};

/** A document that no write of the load changes. */
export type KeptDocument = { readonly id: string; readonly digest: string };

export function createReads(options: ReadOptions, kept: readonly KeptDocument[]) {
  const { fleet, http, grpc, calls, tally, random } = options;
  const { CLIENT_ID, CLIENT_SECRET, CUSTOMER_API_KEY, API_KEY, LATCHKEY_BASE_URL } = fleet.env;
  const tokens: { token: string; at: number }[] = [];
  const scope = 'tokens:read';

  function keep(token: unknown): void {
    if (typeof token !== 'string' || token === '') return;
    tokens.push({ token, at: performance.now() });
    if (tokens.length > tokensKept) tokens.shift();
  }

  /** A token that is valid, once one was issued. */
  function anyToken(): string | undefined {
    while (tokens[0] !== undefined && performance.now() - tokens[0].at > tokenAgeMs) tokens.shift();
    return tokens.length === 0 ? undefined : random.pick(tokens).token;
  }

  /** Compares the answer to a request with the state that must hold. */
  function expect(transport: 'http' | 'grpc', sentAt: number, what: string, holds: boolean): void {
    if (!holds) tally.fail(transport, what, sentAt, what);
  }

  return [
    async function issueToken() {
      const fields = { client_id: CLIENT_ID, client_secret: CLIENT_SECRET, scope };
      keep((await calls.json('POST', '/tokens', undefined, fields))?.body.access_token);
    },
    async function verifyToken() {
      const [token, bearer] = [anyToken(), anyToken()];
      if (token === undefined) return;
      const sentAt = performance.now();
      const answer = await calls.json('POST', '/tokens/verify', bearer, { token });
      if (answer?.status !== 200) return;
      expect('http', sentAt, 'a valid token is inactive', answer.body.active === true);
    },
    async function exchangeApiKey() {
      await calls.json('POST', '/tokens/api-key', undefined, { api_key: CUSTOMER_API_KEY });
    },
    async function readKeys() {
      await calls.json('GET', '/.well-known/jwks.json');
    },
    async function listDocuments() {
      await calls.json('GET', '/api/v1/documents?page_size=10', API_KEY);
    },
    async function download() {
      const { id, digest } = random.pick(kept);
      const sentAt = performance.now();
      const answer = await http.send(`${LATCHKEY_BASE_URL}/api/v1/documents/${id}/file`, {
        method: 'GET',
        headers: { authorization: `Bearer ${API_KEY}` },
      });
      if (answer?.status !== 200) return;
      expect('http', sentAt, 'a download has other bytes', sha256(answer.bytes) === digest);
    },
    async function issueTokenByGrpc() {
      const fields = { clientId: CLIENT_ID, clientSecret: CLIENT_SECRET, scope };
      const { issueToken } = IssuanceService.method;
      const issued: IssueTokenResponse | undefined = await grpc.call(issueToken, fields);
      keep(issued?.accessToken);
    },
    async function verifyTokenByGrpc() {
      const [token, bearer] = [anyToken(), anyToken()];
      if (token === undefined) return;
      const sentAt = performance.now();
      const answer = await grpc.call(VerificationService.method.verifyToken, { token }, bearer);
      if (answer === undefined) return;
      expect('grpc', sentAt, 'a valid token is inactive', answer.active);
    },
    async function exchangeApiKeyByGrpc() {
      await grpc.call(IssuanceService.method.exchangeApiKey, { apiKey: CUSTOMER_API_KEY });
    },
    async function getDocumentByGrpc() {
      const documentId = random.pick(kept).id;
      await grpc.call(DocumentService.method.getDocument, { documentId }, API_KEY);
    },
    async function downloadByGrpc() {
      const { id, digest } = random.pick(kept);
      const sentAt = performance.now();
      const answer = await grpc.download(id, API_KEY);
      if (answer === undefined) return;
      expect('grpc', sentAt, 'a download has other bytes', sha256(answer.bytes) === digest);
    },
  ];
}
