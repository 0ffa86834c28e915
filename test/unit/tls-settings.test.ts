import { expect, test } from 'vitest';
import { problemsOf } from '../support/config-problems.ts';

test('a CA of client certificates requires the certificate of the server', () => {
  const names = ['LATCHKEY_HTTP_CLIENT_CA', 'LATCHKEY_GRPC_CLIENT_CA'];
  const clientCas = Object.fromEntries(names.map((name) => [name, 'ca.crt']));
  expect(problemsOf(clientCas)).toEqual(
    names.map((name) => `${name}: requires LATCHKEY_TLS_CERT and LATCHKEY_TLS_KEY`),
  );
  const pair = { LATCHKEY_TLS_CERT: 'tls.crt', LATCHKEY_TLS_KEY: 'tls.key' };
  expect(problemsOf({ ...clientCas, ...pair })).toEqual([]);
});
