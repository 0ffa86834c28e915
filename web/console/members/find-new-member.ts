import { createClient } from '@connectrpc/connect';
import { useTransport } from '@connectrpc/connect-query';
import { UserService } from '../../../gen/latchkey/identity/v1/user_pb.js';
import { type Member, WorkspaceService } from '../../../gen/latchkey/sharing/v1/workspace_pb.js';
import { ProblemError } from '../session/problem-error.ts';
import { displayName } from '../shared/display-name.ts';
import { roleWithArticle } from './roles.tsx';

const pageSize = 200;

/**
 * Returns a function that resolves a user ID or, with `mayLookUp`, an email address to a user ID.
 * It throws for existing members, because adding them again would silently change their role.
 */
export function useFindNewMember(
  workspaceId: string,
): (given: string, mayLookUp: boolean) => Promise<string> {
  const transport = useTransport();

  async function idOf(email: string): Promise<string> {
    const { users } = await createClient(UserService, transport).listUsers({ email });
    const id = users[0]?.id;
    if (id === undefined) {
      throw refused(`No user has the email address ${email}. Create the user first.`);
    }
    return id;
  }

  async function memberWith(id: string): Promise<Member | undefined> {
    const client = createClient(WorkspaceService, transport);
    let pageToken = '';
    do {
      const page = await client.listMembers({ workspaceId, pageSize, pageToken });
      const found = page.members.find(({ userId }) => userId === id);
      if (found !== undefined) return found;
      pageToken = page.nextPageToken;
    } while (pageToken !== '');
    return undefined;
  }

  return async (given, mayLookUp) => {
    const userId = mayLookUp && given.includes('@') ? await idOf(given) : given;
    const member = await memberWith(userId);
    if (member !== undefined) {
      throw refused(
        `${displayName(member)} is already a member, as ${roleWithArticle(member.role)}. ` +
          'To change the role, close this dialog and click “Change role” in the list.',
      );
    }
    return userId;
  };
}

const refused = (detail: string) =>
  new ProblemError(detail, { code: 'invalid_argument', fields: [{ field: 'user_id', detail }] });
