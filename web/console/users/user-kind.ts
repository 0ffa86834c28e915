import { type User, UserKind } from '../../../gen/latchkey/identity/v1/user_pb.js';

const kinds: Record<UserKind, string> = {
  [UserKind.UNSPECIFIED]: 'Unknown',
  [UserKind.STAFF]: 'Staff',
  [UserKind.MEMBER]: 'Member',
};

export const kindText = ({ kind }: User) => kinds[kind];
