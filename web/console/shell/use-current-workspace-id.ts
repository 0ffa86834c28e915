import { useQuery } from '@connectrpc/connect-query';
import { useParams } from '@tanstack/react-router';
import { useEffect } from 'react';
import { WorkspaceService } from '../../../gen/latchkey/sharing/v1/workspace_pb.js';
import { reasonOf } from '../session/error-details.ts';
import { useHasScope, useUser } from '../session/session-context.tsx';
import { withStorage } from '../shared/with-storage.ts';

/** The workspace of the screen or, on other screens, the usual workspace. */
export function useCurrentWorkspaceId(): string | undefined {
  const { id: userId } = useUser();
  const { workspaceId } = useParams({ strict: false });
  useEffect(() => {
    if (workspaceId !== undefined) lastWorkspace.set(userId, workspaceId);
  }, [userId, workspaceId]);
  const usual = useUsualWorkspace(workspaceId === undefined);
  return workspaceId ?? usual.id;
}

type UsualWorkspace = {
  /** Whether it is known that there is one, or none. */
  readonly isKnown: boolean;
  readonly id: string | undefined;
};

/** The last workspace that the user opened or, without one, the only one. */
export function useUsualWorkspace(isNeeded = true): UsualWorkspace {
  const { id: userId } = useUser();
  const mayList = useHasScope()('workspaces:read');
  const last = lastWorkspace.get(userId);
  const { getWorkspace, listWorkspaces } = WorkspaceService.method;
  const hasLast = last !== undefined;
  const opened = useQuery(
    getWorkspace,
    { workspaceId: last ?? '' },
    { enabled: isNeeded && hasLast },
  );
  // The user was removed from it.
  const isGone = hasLast && ['forbidden', 'not_found'].includes(reasonOf(opened.error) ?? '');
  useEffect(() => {
    if (isGone) lastWorkspace.forget(userId);
  }, [isGone, userId]);
  const mustList = isNeeded && mayList && (!hasLast || isGone);
  const list = useQuery(listWorkspaces, { pageSize: 2 }, { enabled: mustList });
  if (hasLast && !isGone) return { isKnown: !opened.isPending, id: last };
  const [only, ...others] = list.data?.workspaces ?? [];
  const id = others.length === 0 ? only?.id : undefined;
  return { isKnown: !mustList || !list.isPending, id };
}

const opened = new Map<string, string>();

const nameOf = (userId: string) => `latchkey workspace ${userId}`;

/**
 * Remembers the workspace that each user of this browser opened last, so that the other screens and
 * the next visit still have it. It stays in memory if the browser blocks the storage.
 */
const lastWorkspace = {
  get: (userId: string): string | undefined =>
    opened.get(userId) ??
    withStorage('localStorage', (storage) => storage.getItem(nameOf(userId))) ??
    undefined,
  set(userId: string, workspaceId: string): void {
    opened.set(userId, workspaceId);
    withStorage('localStorage', (storage) => storage.setItem(nameOf(userId), workspaceId));
  },
  forget(userId: string): void {
    opened.delete(userId);
    withStorage('localStorage', (storage) => storage.removeItem(nameOf(userId)));
  },
};
