// Browsers that remember a verified address for the links of a workspace.
import { expect, it } from 'vitest';
import { addVerifiedDomain, askHost } from '../support/domain-calls.ts';
import { alertOf, codesFor, fieldAskedBy, lastCode, Visitor } from '../support/gate-visitor.ts';
import { useSecretDocument } from '../support/gated-document.ts';
import { describeFeature } from '../support/matrix.ts';
import {
  callSharingApi,
  type LinkFields,
  otherWorkspace,
  serviceCredential,
} from '../support/sharing-api.ts';

const dayMs = 24 * 60 * 60 * 1_000;

describeFeature('a remembered reader', (dialect) => {
  const { app, clock, gated } = useSecretDocument(dialect);
  const verifiedLink = (options = {}) => gated({ email_verification_required: true, ...options });
  let readers = 0;

  /** Verifies an address at a new link, and returns what the browser keeps for other links. */
  async function verify({ remember = 'yes', link = undefined as LinkFields | undefined } = {}) {
    const own = link ?? (await verifiedLink());
    const [visitor, email] = [new Visitor(own), `reader${++readers}@example.com`];
    clock.now += 1;
    await visitor.post({ email, ...(remember === '' ? {} : { remember }) });
    const opened = await visitor.post({ code: await lastCode(app(), email) });
    expect(opened.status).toBe(303);
    const kept = [...visitor.cookies].filter(([name]) => name.startsWith('latchkey_reader_'));
    return { email, opened, kept, link: own };
  }

  async function foreignLink(): Promise<LinkFields> {
    const workspace_id = await otherWorkspace(app());
    const credential = await serviceCredential(app(), 'documents:write links:write');
    const create = async <T>(route: string, fields: object) => {
      const body = { workspace_id, ...fields };
      return (await callSharingApi<T>(app(), 'POST', route, body, credential)).body;
    };
    const { id: folder_id } = await create<{ id: string }>('/folders', { name: 'Theirs' });
    const rules = { email_required: true, email_verification_required: true };
    return create<LinkFields>('/links', { folder_id, ...rules });
  }

  function visitorWith(link: LinkFields, cookies: readonly [string, string][]): Visitor {
    const visitor = new Visitor(link);
    for (const [name, value] of cookies) visitor.cookies.set(name, value);
    return visitor;
  }

  it('opens other links of the workspace without a code, with a verified address', async () => {
    const { email, opened, kept } = await verify();
    const [cookie = ''] = opened.headers.getSetCookie().filter((line) => /reader_/.test(line));
    const [value, ...attributes] = cookie.split('; ');
    expect(value).toMatch(/^latchkey_reader_[0-9a-f]{16}=[0-9A-Za-z]{43}$/);
    expect(attributes).toEqual(['Max-Age=2592000', 'Path=/s', 'HttpOnly', 'SameSite=Lax']);
    const rows = app().app.inside.db.selectFrom('remembered_readers').selectAll();
    expect(JSON.stringify(await rows.execute())).not.toContain(kept[0]?.[1]);
    const other = await verifiedLink({ allow_list: [email], password: 'open sesame' });
    const visitor = visitorWith(other, kept);
    expect(await visitor.asked()).toBe('Password');
    await visitor.post({ password: 'open sesame' });
    const page = await visitor.get();
    expect(page.text).toContain(`value="${email}"`);
    expect(page.text).toContain('so you need no code');
    expect(page.text).not.toContain('name="remember"');

    expect((await visitor.post({ email })).status).toBe(303);

    expect(await visitor.asked()).toBe('document');
    expect(await codesFor(app(), email)).toHaveLength(1);
    const { body } = await callSharingApi(app(), 'GET', `/links/${other.id}/views`);
    expect(body).toMatchObject({ views: [{ email, email_verified: true }] });
    const refusing = visitorWith(await verifiedLink({ allow_list: ['@other.example'] }), kept);
    const refused = await refusing.post({ email });
    expect([refused.status, alertOf(refused)]).toEqual([
      403,
      expect.stringContaining('doesn’t have access'),
    ]);
    expect(await refusing.asked()).toBe('Email address');
  });

  it('is remembered only if the reader agrees, and only after the code', async () => {
    for (const remember of ['', 'no']) expect((await verify({ remember })).kept).toEqual([]);
    const visitor = new Visitor(await verifiedLink());
    expect((await visitor.get()).text).toMatch(/<input type="checkbox" name="remember"[^>]*>/);
    expect((await visitor.get()).text).not.toContain('checked');
    await visitor.post({ email: 'late@example.com', remember: 'yes' });
    await visitor.post({ code: '000000' });
    expect([...visitor.cookies.keys()].join()).not.toContain('reader_');
    const open = new Visitor(await gated());
    expect((await open.get()).text).not.toContain('name="remember"');
  });

  it('needs a code again in every other case', async () => {
    const erase = (email: string) => callSharingApi(app(), 'DELETE', `/visitors/${email}`);
    const agreement = 'Keep it secret.';
    type Case = (known: Awaited<ReturnType<typeof verify>>) => Promise<Visitor>;
    const cases: Record<string, Case> = {
      'another value': async ({ kept: [[name = ''] = []] }) =>
        visitorWith(await verifiedLink(), [[name, 'A'.repeat(43)]]),
      'an agreement that was not accepted': async ({ kept }) =>
        visitorWith(await verifiedLink({ agreement }), kept),
      'after the reader is forgotten': async ({ kept }) => {
        const forgetful = visitorWith(await verifiedLink(), kept);
        const forgotten = await forgetful.post({ forget: 'yes' });
        expect(forgotten.headers.getSetCookie()).toEqual([
          expect.stringMatching(/^latchkey_reader_\w+=; Max-Age=0; Path=\/s; HttpOnly/),
        ]);
        // Also for a copy of the cookie.
        return visitorWith(await verifiedLink(), kept);
      },
      'after the erasure': async ({ kept, email, link }) => {
        const visitor = visitorWith(link, kept);
        await visitor.post({ email });
        expect(await visitor.asked()).toBe('document');
        await app().app.inside.views.flush();
        expect((await erase(email)).status).toBe(200);
        return visitorWith(await verifiedLink(), kept);
      },
      'another workspace': async ({ kept }) => {
        const link = await foreignLink();
        const theirs = await verify({ link });
        expect(theirs.kept[0]?.[0]).not.toBe(kept[0]?.[0]);
        const [[name = ''] = []] = theirs.kept;
        return visitorWith(link, [[name, kept[0]?.[1] ?? '']]);
      },
      'after 30 days': async ({ kept }) => {
        const visitor = visitorWith(await verifiedLink(), kept);
        clock.now += 30 * dayMs;
        return visitor;
      },
    };
    for (const [name, arrange] of Object.entries(cases)) {
      const known = await verify();
      const visitor = await arrange(known);
      const page = await visitor.get();
      expect(page.text.includes(known.email), name).toBe(name.includes('agreement'));
      await visitor.post({ email: known.email });
      expect(await visitor.asked(), name).toBe('Code');
      clock.now += 60_000;
    }
    const { kept } = await verify();
    const visitor = visitorWith(await verifiedLink(), kept);
    await visitor.post({ email: 'someone.else@example.com' });
    expect(await visitor.asked()).toBe('Code');
  });

  it('is not remembered under another host name', async () => {
    const { email, kept, link } = await verify();
    await addVerifiedDomain(app(), 'docs.example.com');
    const headers = { cookie: kept.map((pair) => pair.join('=')).join('; ') };
    const { pathname } = new URL(link.url);
    const ask = (host: string) => askHost(app().app.publicUrl, host, pathname, { headers });
    const [own, domain] = [
      await ask(new URL(app().app.publicUrl).host),
      await ask('docs.example.com'),
    ];
    expect([own.text.includes(email), domain.text.includes(email)]).toEqual([true, false]);
    expect([fieldAskedBy(own), fieldAskedBy(domain)]).toEqual(['Email address', 'Email address']);
  });
});
