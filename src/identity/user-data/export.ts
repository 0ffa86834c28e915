// Streams what the service holds about the calling user.
import type { ServiceImpl } from '@connectrpc/connect';
import type { UserService } from '../../../gen/latchkey/identity/v1/user_pb.js';
import type { DataPage, UserData } from '../../api/access/user-data.ts';
import { callerOf } from '../../api/principal.ts';
import { requireFound } from '../../base/errors/errors.ts';
import { writeArchive } from '../../base/files/write-archive.ts';
import { takeTurn } from '../../base/limits/turns.ts';
import { findUserRow } from '../../storage/queries/users.ts';
import type { Database } from '../../storage/schema/schema.ts';
import { identityData } from './sections.ts';

export type UserExport = Pick<ServiceImpl<typeof UserService>, 'exportUser'>;

export type UserExportOptions = {
  readonly db: Database;
  /** The data of the other module. */
  readonly sharedData: Readonly<Record<string, UserData>>;
};

const chunkMax = 256 * 1024;

export function createUserExport({ db, sharedData }: UserExportOptions): UserExport {
  const sections = Object.entries({ ...identityData, ...sharedData });
  return {
    async *exportUser({ userId }, context) {
      const user = requireFound(await findUserRow(db, userId), 'user');
      const value = { name: `${userId}.tar`, contentType: 'application/x-tar', generated: true };
      yield { part: { case: 'header', value } };
      const archive = writeArchive(async (writer) => {
        for (const [name, read] of sections) {
          let number = 0;
          for await (const page of read(db, user)) {
            number += 1;
            await writer.addText(`${name}${number === 1 ? '' : `-${number}`}.json`, textOf(page));
            await takeTurn();
            context.signal.throwIfAborted();
            // A long export ends when the user loses access.
            await callerOf(context).repeatCheck();
          }
        }
      });
      for await (const bytes of archive) {
        for (let at = 0; at < bytes.length; at += chunkMax) {
          yield { part: { case: 'chunk', value: bytes.subarray(at, at + chunkMax) } };
        }
      }
    },
  };
}

/** Times as RFC 3339. */
function textOf(page: DataPage): string {
  const shown = (name: string, value: unknown) =>
    name.endsWith('_time') && typeof value === 'number' ? new Date(value).toISOString() : value;
  return `${JSON.stringify(page, shown, 2)}\n`;
}
