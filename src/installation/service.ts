import { create } from '@bufbuild/protobuf';
import { type Timestamp, timestampFromMs } from '@bufbuild/protobuf/wkt';
import type { HandlerContext, ServiceImpl } from '@connectrpc/connect';
import {
  BackupHealthSchema,
  ExpiringCredentialSchema,
  InstallationSchema,
  type InstallationService,
  KeyRotationSchema,
  MailHealthSchema,
  MasterKeyStateSchema,
  NodeSchema,
} from '../../gen/latchkey/identity/v1/installation_pb.js';
import { callerOf } from '../api/principal.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import { findNames, reachesOf } from '../audit/names/names.ts';
import type { Clock } from '../base/clock.ts';
import { findFirstEnding } from '../credentials/ending/store.ts';
import type { Database, Executor } from '../storage/schema/schema.ts';
import { seenMs } from './heartbeat.ts';
import { confirmKeyCopy, findKeyCopy, findNodes } from './store.ts';

const soonMs = 30 * 86_400_000;
const credentialsMax = 20;

/** Times are in milliseconds since 1970. Without a problem, its text is empty. */
export type InstallationSources = {
  rotations(): Promise<readonly KeyTimes[]>;
  mail(): Promise<MailState>;
  blobProblem(): Promise<string>;
  backups(): Promise<BackupState>;
};

type KeyTimes = {
  readonly alg: string;
  readonly kid: string;
  readonly activateTime: number;
  readonly rotationTime: number;
  readonly isLate: boolean;
};

type MailState = {
  readonly hasServer: boolean;
  readonly problem: string;
  readonly waiting: number;
  readonly oldestTime: number | undefined;
};

type BackupState = {
  readonly hasTarget: boolean;
  readonly problem: string;
  readonly newestTime?: number | undefined;
  readonly isLate?: boolean | undefined;
};

export type InstallationServiceOptions = {
  readonly db: Database;
  readonly now: Clock;
  readonly auditLog: Pick<AuditLog, 'change'>;
  readonly masterKey: { readonly id: string; readonly isInFile: boolean };
  readonly sources: InstallationSources;
};

export function createInstallationService({
  db,
  now,
  auditLog,
  masterKey,
  sources,
}: InstallationServiceOptions): ServiceImpl<typeof InstallationService> {
  async function readCredentials(context: HandlerContext) {
    const time = now();
    const found = await findFirstEnding(db, { from: time, until: time + soonMs }, credentialsMax);
    const ids = found.flatMap(({ id, ownerId }) => [id, ownerId]);
    const names = await findNames(db, await reachesOf(callerOf(context)), ids);
    return found.map(({ id, ownerId, expireTime }) =>
      create(ExpiringCredentialSchema, {
        ...{ id, ownerId, expireTime: timestampFromMs(expireTime) },
        name: names.get(id)?.name ?? '',
        ownerName: names.get(ownerId)?.name ?? '',
      }),
    );
  }

  async function readMasterKey(trx: Executor) {
    const copy = await findKeyCopy(trx, masterKey.id);
    return create(MasterKeyStateSchema, {
      ...{ keyId: masterKey.id, inFile: masterKey.isInFile },
      ...timeField('copyConfirmTime', copy?.create_time),
    });
  }

  return {
    async confirmMasterKeyCopy(_, context) {
      const key_id = masterKey.id;
      return auditLog.change(context, { target: key_id }, async (trx) => {
        await confirmKeyCopy(trx, { key_id, create_time: now() });
        return { masterKey: await readMasterKey(trx) };
      });
    },

    async getInstallation(_, context) {
      const [credentials, key, rotations, nodes, mail, problem, backups] = await Promise.all([
        readCredentials(context),
        readMasterKey(db),
        sources.rotations(),
        findNodes(db, seenMs),
        sources.mail(),
        sources.blobProblem(),
        sources.backups(),
      ]);
      return {
        installation: create(InstallationSchema, {
          expiringCredentials: credentials,
          masterKey: key,
          keyRotations: rotations.map(({ alg, kid, activateTime, rotationTime, isLate }) =>
            create(KeyRotationSchema, {
              ...{ alg, kid, late: isLate },
              activateTime: timestampFromMs(activateTime),
              rotationTime: timestampFromMs(rotationTime),
            }),
          ),
          nodes: nodes.map(({ host, version, processes, start_time }) =>
            create(NodeSchema, {
              ...{ name: host, version, processCount: processes },
              startTime: timestampFromMs(start_time),
            }),
          ),
          mail: mailMessage(mail),
          blobs: { problem },
          backups: backupMessage(backups),
        }),
      };
    },
  };
}

const mailMessage = ({ hasServer, problem, waiting, oldestTime }: MailState) =>
  create(MailHealthSchema, {
    ...{ serverConfigured: hasServer, problem, waitingCount: waiting },
    ...timeField('oldestWaitingTime', oldestTime),
  });

const backupMessage = ({ hasTarget, problem, newestTime, isLate = false }: BackupState) =>
  create(BackupHealthSchema, {
    ...{ targetConfigured: hasTarget, problem, late: isLate },
    ...timeField('newestTime', newestTime),
  });

function timeField<K extends string>(name: K, ms: number | undefined): { [N in K]?: Timestamp } {
  return ms === undefined ? {} : ({ [name]: timestampFromMs(ms) } as { [N in K]: Timestamp });
}
