import type { Member } from '../../../gen/latchkey/sharing/v1/workspace_pb.js';

/** How a member is called where there is little room. */
export const callName = ({ name, email }: Member) => (name === '' ? email : name);
