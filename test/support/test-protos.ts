// Protos that exist only in tests: compiled, and served through the real HTTP transport.

import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { createFileRegistry, type FileRegistry, fromBinary } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { createBodyBudgets } from '../../src/api/body-budget.ts';
import { createValidatorLoader } from '../../src/api/bounds.ts';
import type { Endpoint, Handler } from '../../src/api/endpoint.ts';
import { createGuard } from '../../src/api/guard.ts';
import type { RecordedAnswers } from '../../src/api/idempotency/claim.ts';
import type { Observation } from '../../src/api/method-guard.ts';
import { createResponseBudget } from '../../src/api/response-budget.ts';
import { failureOf } from '../../src/base/errors/errors.ts';
import { createAdmission } from '../../src/transports/admission.ts';
import { createPeerOf } from '../../src/transports/http/request-facts.ts';
import { type HttpTransport, startHttpTransport } from '../../src/transports/http-transport.ts';
import { bindSocket } from '../../src/transports/socket.ts';

const run = promisify(execFile);
const root = path.resolve(import.meta.dirname, '../..');

/** Compiles sources, by path, with the third-party protos and the project's own options. */
export async function compileProto(sources: Record<string, string>): Promise<FileRegistry> {
  const folder = await mkdtemp(path.join(tmpdir(), 'latchkey-proto-'));
  try {
    await cp(path.join(root, '.cache/proto'), folder, { recursive: true });
    const options = 'latchkey/options';
    await cp(path.join(root, 'proto', options), path.join(folder, options), { recursive: true });
    for (const [name, source] of Object.entries(sources)) {
      const file = path.join(folder, name);
      await mkdir(path.dirname(file), { recursive: true });
      await writeFile(file, source);
    }
    const buf = path.join(root, 'node_modules/.bin/buf');
    const flags = ['--as-file-descriptor-set', '-o', '-'];
    const { stdout } = await run(buf, ['build', folder, ...flags], { encoding: 'buffer' });
    return createFileRegistry(fromBinary(FileDescriptorSetSchema, stdout));
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** The methods of a service, guarded as the app guards its methods. */
export function endpointsOf(
  registry: Pick<FileRegistry, 'getService'>,
  service: string,
  handlers: (method: string) => Handler,
  observe: (observation: Observation) => void = () => {},
): Endpoint[] {
  const descriptor = registry.getService(service);
  if (descriptor === undefined) throw new Error(`service ${service} not found`);
  const guard = createGuard({
    authenticateToken: async () => undefined,
    authenticateWorkspaceKey: async () => undefined,
    authenticateSession: async () => undefined,
    sessionCookie: 'session',
    publicUrl: 'http://test.invalid',
    membershipsOf: async () => new Map(),
    isWorkspaceDeleted: async () => false,
    loadValidator: createValidatorLoader(),
    answers: noAnswers,
    requireOwnFactor: async () => {},
    stepUpSeconds: 300,
    now: Date.now,
    observe,
    failureOf,
  });
  return descriptor.methods.map((method) => guard(method, handlers(method.name)));
}

export type ServedEndpoints = HttpTransport & { readonly port: number };

/** An HTTP transport on a free port that serves only these methods. */
export async function serveEndpoints(endpoints: Endpoint[]): Promise<ServedEndpoints> {
  const socket = await bindSocket({ host: '127.0.0.1', port: 0 });
  const started = startHttpTransport({
    endpoints,
    bodies: createBodyBudgets({ bytesMax: 64 * 1024 * 1024 }),
    responses: createResponseBudget({ bytesMax: 64 * 1024 * 1024 }),
    admission: createAdmission({ warn: () => {} }),
    routes: [],
    findDomain: () => undefined,
    assetsDir: import.meta.dirname,
    publicUrl: 'http://test.invalid',
    socket,
    peerOf: createPeerOf([]),
    observe: () => {},
    releaseChunk: () => {},
    failureOf,
    warn: () => {},
  });
  const transport = await started.catch(async (error: unknown) => {
    await socket.close();
    throw error;
  });
  return { ...transport, port: socket.port };
}

/** For tests of the guard whose calls have no Idempotency-Key. */
export const noAnswers: RecordedAnswers = {
  has: async () => false,
  find: async () => undefined,
  record: async () => {},
  withdraw: async () => {},
};
