// The text of an agreement: its limits, and the answers that contain it.
import { expect, it } from 'vitest';
import { describeApp } from '../support/app-suite.ts';
import { callSharingApi, makeLink, sha256, upload } from '../support/sharing-api.ts';

const text = '# Terms\n\n**Keep** it secret.';
const digest = sha256(Buffer.from(text));

describeApp('the text of an agreement', (suite) => {
  it('has limits, and is only in answers with a single link', async () => {
    const document = await upload(suite.testApp, Buffer.from('The secret plan.'), 'Plan.txt');
    const link = await makeLink(suite.testApp, document.id, { agreement: text });
    const bad = ['x'.repeat(20_001), ' \n\t', 'a\u0007b', 'a\u202eb', 'a\u0000b', 5, ['a']];
    for (const agreement of bad) {
      for (const [method, path, more] of [
        ['POST', '/links', { document_id: document.id }],
        ['PATCH', `/links/${link.id}`, {}],
      ] as const) {
        const answer = await callSharingApi(suite.testApp, method, path, { ...more, agreement });
        expect(answer.status, `${method} ${String(agreement).slice(0, 9)}`).toBe(400);
      }
    }
    const off = { agreement: text, email_verification_required: false };
    const contradiction = await callSharingApi(suite.testApp, 'PATCH', `/links/${link.id}`, off);
    expect(contradiction.status).toBe(400);
    const list = await callSharingApi<{ links: Record<string, unknown>[] }>(
      suite.testApp,
      'GET',
      `/links?document_id=${document.id}`,
    );
    expect(list.body.links).toMatchObject([{ agreement: '', agreement_sha256: digest }]);
    const one = await callSharingApi(suite.testApp, 'GET', `/links/${link.id}`);
    expect(one.body).toMatchObject({ agreement: text, agreement_sha256: digest });
    const requests = ['a', 'b'].map((name) => ({
      ...{ document_id: document.id, recipient: `${name}@example.com` },
    }));
    const batch = await callSharingApi<{ links: unknown[] }>(
      suite.testApp,
      'POST',
      '/links:batchCreate',
      { agreement: 'x'.repeat(20_000), requests },
    );
    const sum = sha256(Buffer.from('x'.repeat(20_000)));
    expect(batch.body.links).toMatchObject(requests.map(() => ({ agreement_sha256: sum })));
  });
});
