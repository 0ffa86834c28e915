// Finds the user that an argument names by the id or the email address.
import { UserService } from '../../../../gen/latchkey/identity/v1/user_pb.js';
import { CommandError } from '../base/command.ts';
import { cleanText } from '../base/text.ts';
import type { Remote } from './remote.ts';

export async function readUserId(text: string, remote: Pick<Remote, 'call'>): Promise<string> {
  if (!text.includes('@')) return text;
  const request = { email: text, showDeleted: true };
  const { users } = await remote.call(UserService.method.listUsers, request);
  const [user] = users;
  if (user !== undefined) return user.id;
  throw new CommandError(`No user has the address ${cleanText(text)}.`, undefined, 'missing');
}
