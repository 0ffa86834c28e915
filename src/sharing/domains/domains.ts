// The verified domains of all workspaces, in memory: every request for another host name than the
// service's own is looked up here, and every URL of a link. A read waits for nothing, because a
// late change of a domain opens nothing: the gate checks each link against the database's changes.

import type { LinkDomain } from '../../api/routes/route.ts';
import { dayMs } from '../../base/clock.ts';
import type { Invalidations } from '../../storage/cache/invalidation.ts';
import { keepLoaded } from '../../storage/cache/loaded-rows.ts';
import type { Database, LinkRow } from '../../storage/schema/schema.ts';
import { findVerifiedDomains } from './store.ts';

export type Domains = {
  /** Returns the verified or removed domain with this name. */
  find(host: string | undefined): LinkDomain | undefined;
  urlOf(link: Pick<LinkRow, 'workspace_id' | 'slug'>): string;
  /** Waits until a change by this process is known. */
  update(): Promise<void>;
};

export type DomainsOptions = {
  readonly db: Database;
  readonly invalidations: Pick<Invalidations, 'onEviction' | 'ensureFresh'>;
  readonly publicUrl: string;
};

export async function openDomains(options: DomainsOptions): Promise<Domains> {
  const { db, invalidations, publicUrl } = options;
  const ownHost = new URL(publicUrl).hostname;
  let byName: ReadonlyMap<string, LinkDomain> = new Map();
  let primaryOrigins: ReadonlyMap<string, string> = new Map();
  const rows = await keepLoaded(invalidations, 'domain', async () => {
    const found = await findVerifiedDomains(db);
    const domains = found.filter(({ name }) => name !== ownHost);
    byName = new Map(
      domains.map(({ name, workspace_id, remove_time }) => {
        const workspaceId = remove_time === null ? workspace_id : undefined;
        return [name, { origin: originOf(name), workspaceId }];
      }),
    );
    const primary = domains.filter(({ is_primary }) => is_primary === 1);
    primaryOrigins = new Map(
      primary.map(({ workspace_id, name }) => [workspace_id, originOf(name)]),
    );
  });
  const update = () => (rows.isCurrent() ? Promise.resolve() : rows.load().catch(() => {}));
  return {
    update,
    find(host) {
      // A read that failed is repeated.
      if (!rows.isCurrent()) void update();
      // Every request asks, and most installations have no domain.
      if (byName.size === 0 || host === undefined) return undefined;
      return byName.get(hostNameOf(host));
    },
    urlOf({ workspace_id, slug }) {
      void update();
      return `${primaryOrigins.get(workspace_id) ?? publicUrl}/s/${slug}`;
    },
  };
}

const originOf = (name: string) => `https://${name}`;

/** A proxy may serve a deleted domain until its last certificate expires. */
export const removedDomainMs = 90 * dayMs;

/** The host name of a Host header without its port, in lower case. It may be empty. */
function hostNameOf(host: string): string {
  return host.replace(/:\d*$/, '').replace(/\.$/, '').toLowerCase();
}
