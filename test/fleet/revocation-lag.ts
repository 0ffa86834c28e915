// Measures how long a node accepts a credential after its revocation was acknowledged.
import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Calls, callsTo } from '../support/campaign-calls.ts';
import type { Access, Ledger } from '../support/ledger.ts';
import type { FleetNode } from './components/node.ts';
import type { Fleet } from './fleet.ts';
import { openHttp } from './load/http.ts';

const watchedMs = 1500;
const pauseMs = 25;

export type RevocationLag = {
  /** The longest time, in seconds. */
  worst(): number;
  count(): number;
  /** Resolves when the last measurement has ended. */
  stop(): Promise<void>;
};

/** Revokes a token and a client's secret repeatedly, until it is stopped. */
export function measureRevocations(fleet: Fleet, ledger: Ledger): RevocationLag {
  // Uses a new connection for each request, so that requests reach every worker of a node.
  const http = openHttp(undefined, new Agent({ keepAlive: false }));
  const balanced = callsTo(fleet, http.send);
  const direct = fleet.nodes.map((node) => callsToNode(fleet, node, http.send));
  let isOver = false;
  let worst = 0;
  let count = 0;

  async function measure(kind: typeof revokeToken): Promise<void> {
    const access = await ledger.enter(balanced, fleet.env.API_KEY);
    const revocation = await kind(access);
    // Every node caches the credential first.
    await Promise.all(direct.map((calls) => revocation.isAccepted(calls)));
    if (!(await revocation.revoke())) return;
    const revokedAt = performance.now();
    await Promise.all(
      direct.map(async (calls) => {
        while (performance.now() < revokedAt + watchedMs) {
          const seconds = (performance.now() - revokedAt) / 1000;
          if (await revocation.isAccepted(calls)) worst = Math.max(worst, seconds);
          await sleep(pauseMs);
        }
      }),
    );
    count++;
  }

  const measuring = (async () => {
    while (!isOver) {
      // A node may be away, and the revocation unanswered.
      for (const kind of [revokeToken, revokeSecret]) await measure(kind).catch(() => sleep(100));
    }
  })();
  return {
    worst: () => worst,
    count: () => count,
    async stop() {
      isOver = true;
      await measuring;
      http.close();
    },
  };
}

function callsToNode(fleet: Fleet, node: FleetNode, send: Parameters<typeof callsTo>[1]): Calls {
  return callsTo({ env: { ...fleet.env, LATCHKEY_BASE_URL: `http://${node.http}` } }, send);
}

type Revocation = {
  isAccepted(calls: Calls): Promise<boolean>;
  /** Whether the revocation was acknowledged. */
  revoke(): Promise<boolean>;
};

async function newClient({ calls, token }: Access): Promise<{ id: string; secret: string }> {
  const fields = { name: 'Revoked soon', scopes: ['tokens:read'] };
  const answer = await calls.json('POST', '/clients', token, fields);
  const { client, client_secret } = (answer?.body ?? {}) as Record<string, never>;
  if (answer?.status !== 201) throw new Error('the client was not created');
  return { id: String((client as { id: string } | undefined)?.id), secret: String(client_secret) };
}

async function revokeToken(access: Access): Promise<Revocation> {
  const { id, secret } = await newClient(access);
  const token = await access.calls.issue(id, secret, 'tokens:read');
  return {
    async isAccepted(calls) {
      const answer = await calls.json('POST', '/tokens/verify', access.token, { token });
      return answer?.body.active === true;
    },
    async revoke() {
      const answer = await access.calls.json('POST', '/tokens/revoke', access.token, { token });
      return answer?.status === 200;
    },
  };
}

async function revokeSecret(access: Access): Promise<Revocation> {
  const { id, secret } = await newClient(access);
  const fields = { client_id: id, client_secret: secret, scope: 'tokens:read' };
  return {
    async isAccepted(calls) {
      return (await calls.json('POST', '/tokens', undefined, fields))?.status === 200;
    },
    async revoke() {
      const route = `/clients/${id}/secrets/sec_${secret.slice(6, 28)}`;
      return (await access.calls.json('DELETE', route, access.token))?.status === 200;
    },
  };
}
