// A process that signs on the signature thread and then has nothing to do:
// `signing-job.ts <program of the thread>`.
import { createSignatureThread } from '../../src/identity/keys/signature-thread.ts';
import { sealableKeyOf } from './ed25519-cases.ts';

const [program = ''] = process.argv.slice(2);
const onError = (error: unknown) => console.log(`error ${error}`);
const thread = createSignatureThread({ program, onError });
const key = sealableKeyOf(Buffer.alloc(32));
thread.setKey(key);
let isSigned = false;
while (!isSigned) {
  const calls = Array.from({ length: 16 }, () =>
    thread.sign(key, Buffer.alloc(100), () => undefined),
  );
  const results = await Promise.all(calls);
  isSigned = results.some((signature) => signature !== undefined);
}
console.log('signed on the thread');
