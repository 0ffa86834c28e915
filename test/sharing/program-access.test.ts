// Programs that read a shared document for a person, with a token of a token exchange.
import { expect, it } from 'vitest';
import { describeApp } from '../support/app-suite.ts';
import { addVerifiedDomain, askHost } from '../support/domain-calls.ts';
import { digestOf } from '../support/dpop.ts';
import { addClient } from '../support/owner-rows.ts';
import { readPages } from '../support/pdf-text.ts';
import { email, type Options, pdf, useProgram } from '../support/program-readers.ts';
import { findFailures } from '../support/rule.ts';
import { bearer, callSharingApi, type LinkFields } from '../support/sharing-api.ts';

describeApp('a program that reads a link for a person', (suite) => {
  const program = useProgram(suite);
  const { test, open, delegated, credential, boundToken, revoke, viewsOf, statusesOf } = program;

  const patch = (link: LinkFields, body: Options) =>
    callSharingApi(test(), 'PATCH', `/links/${link.id}`, body);

  it('gets the bytes and ranges of a link that admits the person, in one view', async () => {
    const gates: readonly (readonly [string, Options])[] = [
      ['no gate', {}],
      ['an address', { email_required: true }],
      ['a verified address', { email_required: true, email_verification_required: true }],
      ['the person', { allow_list: [email] }],
      ['the domain', { allow_list: ['@example.com'], block_list: ['bob@example.com'] }],
      ['one view', { view_limit: 1 }],
    ];
    const failures = await findFailures(gates, async (_name, options) => {
      const link = await open(options);
      const headers = await credential();
      expect(await statusesOf(link, headers)).toEqual([200, 200, 200]);
      const range = { ...headers, range: 'bytes=0-7' };
      const part = await fetch(`${link.url}/file`, { headers: range });
      expect(part.status).toBe(206);
      expect(await part.text()).toBe(pdf.subarray(0, 8).toString());
      // Another token of the same program.
      expect(await statusesOf(link, await credential())).toEqual([200, 200, 200]);
      expect(await viewsOf(link)).toMatchObject([
        {
          ...{ email, email_verified: true, download_count: 1 },
          acting_client_id: program.place().agent.ownerId,
          acting_client_name: 'Test client',
        },
      ]);
    });
    expect(failures).toEqual([]);
  });

  it('counts as another reader than the person and other programs', async () => {
    const link = await open({ view_limit: 2, email_required: true });
    const other = await addClient(suite.app.inside.db, 'documents:read', {
      mayAct: [program.place().userId],
    });
    const third = await addClient(suite.app.inside.db, 'documents:read', {
      mayAct: [program.place().userId],
    });
    expect((await fetch(`${link.url}/file`, { headers: await credential() })).status).toBe(200);
    expect(await statusesOf(link, await credential({}, other))).toEqual([200, 200, 200]);
    expect(await statusesOf(link, await credential({}, third))).toEqual([410, 410, 410]);
    const clients = (await viewsOf(link)).map((view) => view.acting_client_id);
    expect(new Set(clients)).toEqual(new Set([program.place().agent.ownerId, other.ownerId]));
  });

  it('needs a proof for each request with a bound token', async () => {
    const link = await open();
    const token = await boundToken();
    const htu = `${link.url}/file`;
    const send = async (htm: string, method = 'GET') => {
      const dpop = await program.place().holder.prove({ htm, htu, ath: digestOf(token) });
      const headers = { authorization: `DPoP ${token}`, dpop };
      const answers = [
        await fetch(htu, { method, headers }),
        await fetch(htu, { method, headers }),
      ];
      return answers.map(({ status }) => status);
    };
    expect(await send('GET')).toEqual([200, 401]);
    expect(await send('HEAD', 'HEAD')).toEqual([200, 401]);
    expect(await send('POST')).toEqual([401, 401]);
  });

  it('proves the address that it asks, also under a custom domain', async () => {
    const { url } = await open();
    const { publicUrl } = suite.app;
    const host = 'docs.example.com';
    await addVerifiedDomain(test(), host);
    const path = `${url.slice(publicUrl.length)}/file`;
    const authorization = `DPoP ${await boundToken()}`;
    const send = async (origin: string) => {
      const ath = digestOf(authorization.slice('DPoP '.length));
      const dpop = await program.place().holder.prove({ htm: 'GET', htu: origin + path, ath });
      return (await askHost(publicUrl, host, path, { headers: { authorization, dpop } })).status;
    };
    expect(await send(`https://${host}`)).toBe(200);
    expect(await send(publicUrl)).toBe(401);
    expect(await send('https://other.example.com')).toBe(401);
  });

  it('gets pages with the address of the person if the link has a watermark', async () => {
    const link = await open({ watermark: true });
    const answer = await fetch(`${link.url}/download`, { headers: await credential() });
    expect(answer.status).toBe(200);
    const text = JSON.stringify(await readPages(Buffer.from(await answer.arrayBuffer())));
    expect(text).toContain(email);
  });

  it('loses access at once when its token or the option of the link ends', async () => {
    const link = await open();
    const [token, other] = [await delegated(), await delegated()];
    expect(await statusesOf(link, bearer(token))).toEqual([200, 200, 200]);
    await revoke(token);
    expect(await statusesOf(link, bearer(token))).toEqual([401, 401, 401]);
    expect(await statusesOf(link, bearer(other))).toEqual([200, 200, 200]);
    expect((await patch(link, { program_access: false })).body).toMatchObject({
      program_access: false,
    });
    expect(await statusesOf(link, bearer(other))).toEqual([403, 403, 403]);
  });

  it('neither passes the gate of the page nor reports views', async () => {
    const link = await open({ email_required: true });
    const headers = await credential();
    const page = await fetch(link.url, { headers });
    expect(await page.text()).toContain('name="email"');
    expect(page.headers.get('set-cookie')).toBeNull();
    const body = new URLSearchParams({ visit: 'a'.repeat(16), pages: '1:5' });
    const report = await fetch(`${link.url}/view`, { method: 'POST', headers, body });
    expect(report.status).toBe(403);
    expect(await viewsOf(link)).toEqual([]);
  });
});
