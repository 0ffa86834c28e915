// Parameters that would limit or bind a token are refused: the caller would otherwise take an
// unlimited token for a limited one.
import { expect, it } from 'vitest';
import { IssuanceService } from '../../gen/latchkey/identity/v1/issuance_pb.js';
import { describeAppOnSqlite } from '../support/app-suite.ts';
import { transportNames } from '../support/transports.ts';

const { issueToken, exchangeApiKey } = IssuanceService.method;
const dpop = 'eyJ0eXAiOiJkcG9wK2p3dCJ9.e30.AAAA';

describeAppOnSqlite('a token request', (suite) => {
  const credentials = () => {
    const { CLIENT_ID, CLIENT_SECRET, CUSTOMER_API_KEY } = suite.testApp.env;
    const client = { clientId: CLIENT_ID, clientSecret: CLIENT_SECRET, scope: 'accounts:read' };
    return { client, key: { apiKey: CUSTOMER_API_KEY } };
  };

  it('with an unknown resource or an audience is refused on all transports', async () => {
    const { client, key } = credentials();
    const cases = [
      [{ resource: 'https://a.example' }, 'identity.invalid_target'],
      [{ audience: 'a' }, 'identity.invalid_target'],
      [{ resource: suite.app.publicUrl, audience: 'a' }, 'identity.invalid_target'],
      [{ resource: suite.app.publicUrl }, undefined],
      [{ resource: 'a'.repeat(2049) }, 'invalid_argument'],
      [{}, undefined],
    ] as const;
    const failures: string[] = [];
    let walked = 0;
    for (const name of transportNames) {
      const transport = suite.transport(name);
      for (const [target, code] of cases) {
        const answers = [
          await transport.call(issueToken, { ...client, ...target }),
          await transport.call(exchangeApiKey, { ...key, ...target }),
        ];
        for (const answer of answers) {
          const given = answer.ok ? undefined : answer.error.code;
          if (given !== code) failures.push(`${name} ${JSON.stringify(target)} ${given}`);
          walked++;
        }
      }
    }
    expect(failures).toEqual([]);
    expect(walked).toBe(transportNames.length * cases.length * 2);
  });

  it('is refused over HTTP with the error of RFC 8707 or RFC 6749', async () => {
    const { CLIENT_ID: client_id, CLIENT_SECRET: client_secret } = suite.testApp.env;
    const { CUSTOMER_API_KEY: api_key } = suite.testApp.env;
    const client = { client_id, client_secret, scope: 'accounts:read' };
    const cases = [
      ['/tokens', client],
      ['/tokens/api-key', { api_key }],
    ] as const;
    const failures: string[] = [];
    let walked = 0;
    for (const [path, body] of cases) {
      for (const name of ['resource', 'audience', 'DPoP']) {
        const isHeader = name === 'DPoP';
        const response = await fetch(suite.app.publicUrl + path, {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...(isHeader && { DPoP: dpop }) },
          body: JSON.stringify({ ...body, ...(!isHeader && { [name]: 'a' }) }),
        });
        const { error, error_description } = (await response.json()) as Record<string, string>;
        const expected = isHeader
          ? ['invalid_dpop_proof', 'The DPoP proof ']
          : ['invalid_target', `${name}: `];
        if (error !== expected[0] || !error_description?.startsWith(expected[1] ?? '')) {
          failures.push(`${path} ${name}: ${error}`);
        }
        walked++;
      }
    }
    expect(failures).toEqual([]);
    expect(walked).toBe(6);
  });
});
