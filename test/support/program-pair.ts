// Two programs on one database and one data folder.
import { SessionService } from '../../gen/latchkey/identity/v1/session_pb.js';
import { openDatabase } from '../../src/storage/database.ts';
import { freshPostgresDatabase } from './databases.ts';
import { freePort } from './free-port.ts';
import { messageOf } from './manager-calls.ts';
import type { Dialect } from './matrix.ts';
import { newDataDir, startProgram } from './program.ts';
import { bearer } from './sharing-api.ts';
import { openTransports, type Transport } from './transports.ts';

const { signIn } = SessionService.method;

/** The public address of both. */
export const publicUrl = 'http://latchkey.test';

/** Starts them, with the gRPC transport of each, and staff who manage through the first. */
export async function startProgramPair(dialect: Dialect) {
  const dataDir = await newDataDir();
  const url =
    dialect === 'postgres' ? await freshPostgresDatabase() : `sqlite:${dataDir}/latchkey.db`;
  const origins = [`127.0.0.1:${await freePort()}`, `127.0.0.1:${await freePort()}`] as const;
  const start = (address: string) =>
    startProgram(
      {
        ...{ LATCHKEY_DATABASE_URL: url, LATCHKEY_BOOTSTRAP: 'demo' },
        // Each process accepts the other's tokens.
        ...{ LATCHKEY_PUBLIC_URL: publicUrl, LATCHKEY_HTTP_ADDRESS: address },
      },
      dataDir,
    );
  const programs = [await start(origins[0]), await start(origins[1])] as const;
  const db = await openDatabase(url);
  const opened = programs.map(({ env }) =>
    openTransports({ publicUrl: env.LATCHKEY_BASE_URL, grpcAddress: env.LATCHKEY_GRPC_ADDRESS }),
  );
  const [first, second] = opened.map((all) => all.find(({ name }) => name === 'grpc'));
  if (first === undefined || second === undefined) throw new Error('there is no gRPC transport');
  const { STAFF_EMAIL: email, STAFF_PASSWORD: password, WORKSPACE_ID } = programs[0].env;
  const staff = bearer(messageOf(await first.call(signIn, { email, password })).accessToken);
  const manage: Transport['call'] = (method, request) => first.call(method, request, staff);
  return {
    ...{ db, manage, workspaceId: WORKSPACE_ID, transports: [first, second] as const },
    origins: origins.map((address) => `http://${address}`),
    async remove() {
      for (const transport of opened.flat()) transport.close();
      await db.destroy();
      for (const program of programs) await program.remove();
    },
  };
}
