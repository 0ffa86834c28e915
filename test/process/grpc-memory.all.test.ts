// The memory of the process while gRPC clients leave calls unfinished.
import { readFile } from 'node:fs/promises';
import { expect, onTestFinished } from 'vitest';
import { type RunningProgram, startProgram } from '../support/program.ts';
import { openCall, openSession, prefix } from '../support/raw-grpc.ts';
import { itHoldsFor } from '../support/rule.ts';

const megabyte = 1024 * 1024;

async function megabytesOf({ child }: RunningProgram): Promise<number> {
  const text = await readFile(`/proc/${child.pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(text)?.[1]) / 1024;
}

itHoldsFor([
  ['with a credential', 'latchkey.identity.v1.VerificationService/VerifyToken'],
  ['without one', 'latchkey.identity.v1.IssuanceService/IssueToken'],
])('150 unfinished calls of a method use little memory', async (_name, method) => {
  const program = await startProgram();
  onTestFinished(() => program.remove());
  const session = await openSession(program.env.LATCHKEY_GRPC_ADDRESS);
  onTestFinished(() => session.destroy());
  const before = await megabytesOf(program);

  const length = method.endsWith('IssueToken') ? 256 * 1024 : 2 * megabyte;
  const calls = Array.from({ length: 150 }, () => openCall(session, `/${method}`));
  for (const { stream } of calls) {
    stream.write(Buffer.concat([prefix(length), Buffer.alloc(length - 100)]));
  }
  await new Promise((resolve) => setTimeout(resolve, 3000));

  expect((await megabytesOf(program)) - before).toBeLessThan(128);
});
