import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import type { SessionRow } from '../../storage/schema/schema.ts';
import { methodsOf } from './session.ts';
import { browserNames } from './user-agent.ts';

export function sessionMessage(row: SessionRow, currentId: string) {
  return {
    id: row.id,
    createTime: timestampFromMs(row.create_time),
    refreshTime: timestampFromMs(row.refresh_time),
    expireTime: timestampFromMs(row.expire_time),
    address: row.address,
    amr: methodsOf(row),
    current: row.id === currentId,
    providerId: row.provider_id ?? '',
    ...browserNames(row.user_agent),
  };
}
