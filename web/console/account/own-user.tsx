import { useQuery } from '@connectrpc/connect-query';
import type { ReactNode } from 'react';
import { type User, UserService } from '../../../gen/latchkey/identity/v1/user_pb.js';
import { useUser } from '../session/session-context.tsx';
import { QueryResult } from '../shared/query-result.tsx';

/** Loads the signed-in user, with the fields that staff see. */
export function OwnUser({ children }: { readonly children: (user: User) => ReactNode }) {
  const { id: userId } = useUser();
  const query = useQuery(UserService.method.getUser, { userId });
  return (
    <QueryResult value={query.data?.user} query={query} label="user">
      {children}
    </QueryResult>
  );
}
