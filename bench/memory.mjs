// Measures the memory that an upload of 1 GiB needs.
import { randomBytes } from 'node:crypto';
import { sendRequests } from './loads/uploads.mjs';
import { stopAll } from './processes.mjs';
import { verdictOf } from './report.mjs';
import { startService } from './service.mjs';
import { latchkey } from './stores.mjs';

const MiB = 2 ** 20;
const growthMax = 64 * MiB;
const chunk = randomBytes(MiB);
/** Excludes the memory that a process needs after a while even without large uploads. */
const warmUpSeconds = 5;

async function measure(folder) {
  const settings = { LATCHKEY_MAX_UPLOAD_BYTES: String(1024 * MiB) };
  const { server, ports, apiKey } = await startService(folder, { name: 'memory', settings });
  const side = latchkey(ports.HTTP, apiKey);
  const upload = (chunks, seconds) =>
    sendRequests({
      port: side.http,
      connections: 1,
      seconds,
      requestOf: () => side.requestOf(Array.from({ length: chunks }, () => chunk)),
      isGood: ({ status }) => status === 201,
    });
  const first = await upload(1, warmUpSeconds);
  const before = server.residentBytes();
  server.resetPeak();
  const { errors } = await upload(1024, 0);
  const growth = server.peakBytes() - before;
  await stopAll();
  const inMiB = (bytes) => Math.round(bytes / MiB);
  return verdictOf(memory.name, [
    {
      passed: growth < growthMax,
      text: `${inMiB(growth)} MiB more than before (target < ${inMiB(growthMax)} MiB)`,
    },
    { passed: first.errors + errors === 0, text: `${first.errors + errors} errors (target 0)` },
  ]);
}

export const memory = { name: 'upload-1GiB-memory', measure };
