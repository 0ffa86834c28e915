// Records the writes that the program acknowledged, and checks that they still exist.
import { randomBytes } from 'node:crypto';
import { addManager, type Calls, type CampaignAnswer } from './campaign-calls.ts';
import type { SeededRandom } from './seeded-random.ts';
import { sha256 } from './sharing-api.ts';

/** A fact that must hold from now on; a later write may withdraw it. */
type Fact = {
  readonly what: string;
  readonly holds: (access: Access) => Promise<boolean>;
};

export type Access = {
  readonly calls: Calls;
  /** The workspace's API key. */
  readonly key: string;
  /** A token that may manage clients and tokens. */
  readonly token: string;
};

type Client = { readonly id: string; readonly secret: string };
type Fields = Record<string, { id: string } & Record<string, unknown>>;

export type Ledger = ReturnType<typeof createLedger>;

/** The number of links in a batch. */
const batchSize = 20;

/** One document has at most 100 versions. */
const versionsMax = 90;

const isOk = (answer: CampaignAnswer | undefined): answer is CampaignAnswer =>
  answer !== undefined && answer.status < 300;

export function createLedger(random: SeededRandom) {
  const facts = new Map<string, Fact>();
  const documents = new Map<string, string>();
  const links: string[] = [];
  const clients: Client[] = [];
  const statuses = new Map<number, number>();
  let manager: Client | undefined;
  /** A document that no write deletes. */
  let kept: { readonly id: string; versions: number } | undefined;

  /** Counts the answer; undefined unless it is a success. */
  function counted(answer: CampaignAnswer | undefined): CampaignAnswer | undefined {
    const status = answer?.status ?? 0;
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    return isOk(answer) ? answer : undefined;
  }

  function expectDocument(id: string, digest: string): void {
    documents.set(id, digest);
    facts.set(id, {
      what: `document ${id}`,
      async holds({ calls, key }) {
        const answer = await calls.json('GET', `/api/v1/documents/${id}`, key);
        return answer?.status === 200 && answer.body.sha256 === digest;
      },
    });
  }

  /**
   * The status that a GET returns from now on; undefined while a write to the resource is
   * unanswered.
   */
  function expectGet(id: string, route: string, is: (answer: CampaignAnswer) => boolean): void {
    facts.set(id, {
      what: route,
      async holds({ calls, key, token }) {
        const credential = route.startsWith('/api/') ? key : token;
        const answer = await calls.json('GET', route, credential);
        return answer !== undefined && is(answer);
      },
    });
  }

  const works = {
    async upload({ calls }: Access) {
      const bytes = random.bytes(1 + random.below(40_000));
      const answer = counted(await calls.upload(new Uint8Array(bytes)));
      if (answer !== undefined) expectDocument(String(answer.body.id), sha256(bytes));
    },
    async deleteDocument({ calls, key }: Access) {
      const [id] = documents.keys();
      if (id === undefined || documents.size < 20) return;
      documents.delete(id);
      facts.delete(id);
      const route = `/api/v1/documents/${id}`;
      if (counted(await calls.json('DELETE', route, key)) === undefined) return;
      expectGet(id, route, ({ status }) => status === 404);
    },
    async createLink({ calls, key }: Access) {
      const id = [...documents.keys()].at(-1);
      if (id === undefined) return;
      const fields = { document_id: id, email_required: true };
      const answer = counted(await calls.json('POST', '/api/v1/links', key, fields));
      // Another call may delete the link's document, and the link with it.
      if (answer !== undefined && documents.has(id)) links.push(String(answer.body.id));
    },
    async createLinks({ calls, key }: Access) {
      if (kept === undefined) return;
      const { id } = kept;
      const name = `Batch ${randomBytes(4).toString('hex')}`;
      const requests = Array.from({ length: batchSize }, (_, i) => ({
        ...{ document_id: id, name: `${name} ${i}`, recipient: `reader${i}@example.com` },
      }));
      const batch = { requests };
      const answer = counted(await calls.json('POST', '/api/v1/links:batchCreate', key, batch));
      const counts = answer === undefined ? [0, batchSize] : [batchSize];
      facts.set(name, {
        what: `all links or none of ${name}`,
        async holds(access) {
          const route = `/api/v1/links?page_size=200&query=${encodeURIComponent(name)}`;
          const listed = await access.calls.json('GET', route, access.key);
          const { links } = (listed?.body ?? {}) as { links?: unknown[] };
          return links !== undefined && counts.includes(links.length);
        },
      });
    },
    async uploadVersion({ calls, key }: Access) {
      if (kept === undefined || kept.versions >= versionsMax) return;
      kept.versions += 1;
      const route = `/api/v1/documents/${kept.id}/versions`;
      const bytes = random.bytes(1 + random.below(40_000));
      const digest = sha256(bytes);
      const answer = await calls.upload(new Uint8Array(bytes), key, route);
      if (counted(answer) === undefined) return;
      facts.set(digest, {
        what: `a version in ${route}`,
        async holds(access) {
          const listed = await access.calls.json('GET', `${route}?page_size=100`, access.key);
          const { versions = [] } = (listed?.body ?? {}) as { versions?: { sha256: string }[] };
          return versions.some(({ sha256 }) => sha256 === digest);
        },
      });
    },
    async revokeLink({ calls, key }: Access) {
      const id = links.shift();
      if (id === undefined) return;
      const route = `/api/v1/links/${id}`;
      if (counted(await calls.json('DELETE', route, key)) === undefined) return;
      expectGet(id, route, ({ status, body }) => status === 404 || body.revoke_time !== undefined);
    },
    async createClient({ calls, token }: Access) {
      const fields = { name: randomBytes(4).toString('hex'), scopes: ['tokens:read'] };
      const answer = counted(await calls.json('POST', '/clients', token, fields));
      if (answer === undefined) return;
      const { client, client_secret } = answer.body as Fields & { client_secret: string };
      const id = String(client?.id);
      clients.push({ id, secret: client_secret });
      expectGet(id, `/clients/${id}`, ({ status }) => status === 200);
      facts.set(client_secret, secretFact(id, client_secret, true));
    },
    async revokeSecret({ calls, token }: Access) {
      const client = clients.shift();
      if (client === undefined) return;
      facts.delete(client.secret);
      const secretId = `sec_${client.secret.slice(6, 28)}`;
      const route = `/clients/${client.id}/secrets/${secretId}`;
      if (counted(await calls.json('DELETE', route, token)) === undefined) return;
      facts.set(client.secret, secretFact(client.id, client.secret, false));
    },
    async rotateSecret({ calls, token }: Access) {
      const client = clients.shift();
      if (client === undefined) return;
      facts.delete(client.secret);
      const route = `/clients/${client.id}/secrets:rotate`;
      const answer = counted(await calls.json('POST', route, token, { overlap_seconds: 0 }));
      if (answer === undefined) return;
      facts.set(client.secret, secretFact(client.id, client.secret, false));
      const secret = String(answer.body.client_secret);
      facts.set(secret, secretFact(client.id, secret, true));
      clients.push({ id: client.id, secret });
    },
    async revokeToken({ calls, token }: Access) {
      const revoked = manager && (await calls.issue(manager.id, manager.secret, 'tokens:read'));
      if (revoked === undefined) return;
      const answer = await calls.json('POST', '/tokens/revoke', token, { token: revoked });
      if (counted(answer) === undefined) return;
      facts.set(revoked, {
        what: 'the revocation of a token',
        async holds(access) {
          const fields = { token: revoked };
          const said = await access.calls.json('POST', '/tokens/verify', access.token, fields);
          return said?.body.active === false;
        },
      });
    },
  };

  function secretFact(id: string, secret: string, isLive: boolean): Fact {
    const fields = { client_id: id, client_secret: secret, scope: 'tokens:read' };
    return {
      what: `the ${isLive ? 'live' : 'revoked'} secret of ${id}`,
      async holds({ calls }) {
        const answer = await calls.json('POST', '/tokens', undefined, fields);
        return answer?.status === (isLive ? 200 : 401);
      },
    };
  }

  return {
    statuses,
    /** The writes, each of which resolves when its answer is recorded. */
    works,
    expectDocument,
    count: () => facts.size,
    /** Signs in as the manager; the first call creates that user. */
    async enter(calls: Calls, key: string): Promise<Access> {
      manager ??= await addManager(calls);
      if (kept === undefined || kept.versions >= versionsMax) {
        const answer = await calls.upload(new Uint8Array(random.bytes(1_000)), key);
        kept = answer?.status === 201 ? { id: String(answer.body.id), versions: 1 } : undefined;
      }
      const scope = 'clients:read clients:write tokens:read tokens:write';
      return { calls, key, token: await calls.issue(manager.id, manager.secret, scope) };
    },
    /** Runs `lanes` writes at a time until `isOver`. */
    async write(access: Access, lanes: number, isOver: () => boolean): Promise<void> {
      const list = Object.values(works);
      // Uploads more often than other writes, because only they write both bytes and a row.
      await Promise.all(
        Array.from({ length: lanes }, async () => {
          while (!isOver()) {
            const work = random.chance(0.4) ? works.upload : random.pick(list);
            await work(access).catch(() => {});
          }
        }),
      );
    },
    /**
     * Returns the facts that no longer hold. Drops checked facts, except those of documents and in
     * the last check.
     */
    async lost(access: Access, isLast: boolean): Promise<string[]> {
      const lost: string[] = [];
      const entries = [...facts];
      for (let at = 0; at < entries.length; at += 16) {
        const some = entries.slice(at, at + 16);
        const holds = await Promise.all(some.map(([, fact]) => fact.holds(access)));
        for (const [i, [key, { what }]] of some.entries()) {
          if (!holds[i]) lost.push(what);
          if (!holds[i] || (!isLast && !documents.has(key))) facts.delete(key);
        }
      }
      return lost;
    },
  };
}
