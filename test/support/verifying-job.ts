// A process that verifies on the verification thread and then has nothing to do:
// `verifying-job.ts <program of the thread>`.
import { createVerificationThread } from '../../src/identity/keys/verification-thread.ts';

const [program = ''] = process.argv.slice(2);
const onError = (error: unknown) => console.log(`error ${error}`);
const thread = createVerificationThread({ program, onError });
const bytes = Buffer.alloc(64);
const call = { publicKey: bytes.subarray(32), message: bytes, signature: bytes };
let isVerified = false;
while (!isVerified) {
  const calls = Array.from({ length: 16 }, () => thread.verify(call, () => undefined));
  const results = await Promise.all(calls);
  isVerified = results.some((result) => result !== undefined);
}
console.log('verified on the thread');
