// The access session of a program that reads for a person. It has no cookie, so it is the same for
// each request of the program within a period, and the program has one view in it.
import { createHash } from 'node:crypto';
import type { ProgramReader } from '../../api/routes/program-reader.ts';
import { newId } from '../../base/crypto/ids.ts';
import type { LinkRow } from '../../storage/schema.ts';
import { type AccessSession, accessSecondsMax } from './access-session.ts';

/** The administrators of the installation vouch for the addresses of its users. */
export function sessionOfProgram(
  { id }: LinkRow,
  { userId, email, clientId, clientName }: ProgramReader,
  now: number,
): AccessSession {
  const period = Math.floor(now / 1000 / accessSecondsMax);
  const digest = createHash('sha256').update(`${id}.${userId}.${clientId}.${period}`).digest();
  return {
    viewId: newId('viw', (size) => digest.subarray(0, size)),
    startMs: now,
    email,
    emailVerified: true,
    program: { id: clientId, name: clientName },
  };
}
