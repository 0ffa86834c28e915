import type { JsonObject } from '@bufbuild/protobuf';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { IssueTokenRequestSchema } from '../../../gen/latchkey/identity/v1/issuance_pb.js';
import { addBasicClient, parseOAuthForm } from '../../../src/transports/gateway/oauth-form.ts';

/** Any text without the replacement character, which stands for invalid UTF-8. */
const text = fc.string({ unit: 'binary', minLength: 1 }).filter((one) => !one.includes('\ufffd'));

test('every form is decoded unchanged', () => {
  fc.assert(
    fc.property(text, text, text, text, (client_id, client_secret, scope, grant_type) => {
      const fields = { client_id, client_secret, scope, grant_type };
      const form = new URLSearchParams({ other: scope, ...fields, '': scope });
      expect(parseOAuthForm(IssueTokenRequestSchema, String(form))).toEqual(fields);
    }),
  );
});

test('every HTTP Basic credential is decoded unchanged', () => {
  const encoded = (value: string) => String(new URLSearchParams({ '': value })).slice(1);
  fc.assert(
    fc.property(text, text, (client_id, client_secret) => {
      const parts = `${encoded(client_id)}:${encoded(client_secret)}`;
      const json: JsonObject = { scope: 'accounts:read' };
      addBasicClient(json, `Basic ${Buffer.from(parts).toString('base64')}`);
      expect(json).toEqual({ scope: 'accounts:read', client_id, client_secret });
    }),
  );
});

test('every other Authorization header and form is refused', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (anything) => {
      for (const read of [
        () => addBasicClient({}, `Basic ${anything}`),
        () => addBasicClient({}, `Basic ${Buffer.from(anything).toString('base64')}`),
        () => parseOAuthForm(IssueTokenRequestSchema, anything),
      ]) {
        try {
          read();
        } catch (error) {
          expect(error).toMatchObject({ name: 'Failure' });
        }
      }
    }),
  );
});
