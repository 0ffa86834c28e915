// One successful call per management action on a custom domain.
import { randomBytes } from 'node:crypto';
import type { Place } from './app-suite.ts';
import { addDomainRow } from './domain-rows.ts';
import type { ManagementAction } from './management-actions.ts';
import { addWorkspace } from './owner-rows.ts';

/** The call of a method on a new domain, which is verified: no DNS server is asked. */
const onDomain =
  (fields: object = {}) =>
  async ({ app }: Place): Promise<ManagementAction> => {
    const { ownerId: workspaceId } = await addWorkspace(app.inside.db, '');
    const { id } = await addDomainRow(app.inside.db, workspaceId, { verify_time: 1 });
    return { request: { workspaceId, domainId: id, ...fields }, target: id };
  };

export const actionsOnDomains: Readonly<
  Record<string, (suite: Place) => Promise<ManagementAction>>
> = {
  async 'DomainService.CreateDomain'({ app }) {
    const { ownerId: workspaceId } = await addWorkspace(app.inside.db, '');
    const name = `${randomBytes(8).toString('hex')}.example.com`;
    return { request: { workspaceId, name }, target: ({ domain }) => domain?.id };
  },
  'DomainService.UpdateDomain': onDomain({ primary: true }),
  'DomainService.VerifyDomain': onDomain(),
  'DomainService.ApproveDomain': onDomain(),
  'DomainService.DeleteDomain': onDomain(),
};
