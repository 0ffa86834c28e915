// Measures the signatures of each algorithm of tokens, as the service computes them: the processor
// time, the part of the main thread, and the length of a token. Run: `npx tsx bench/signatures.mjs`.
import { generateKeyPairSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import {
  generatePoolKey,
  openPoolPrivateKey,
  openPoolPublicKey,
  signingAlgorithms,
} from '../src/identity/keys/algorithms.ts';
import { loadEd25519, seedOf } from '../src/identity/keys/ed25519.ts';

const callsPerTurn = 16;
const turns = 250;
const rounds = 5;

/** The signed part of a token with usual claims. */
const message = Buffer.from('a'.repeat(520));

async function keysOf(alg) {
  if (alg !== 'EdDSA') {
    const { members, pkcs8 } = await generatePoolKey(alg);
    return [openPoolPrivateKey(pkcs8), openPoolPublicKey(alg, members)];
  }
  const ed25519 = await loadEd25519();
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const seed = seedOf(privateKey.export({ format: 'der', type: 'pkcs8' }));
  const x = Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url');
  return [ed25519.privateKey(seed), ed25519.publicKey(x)];
}

/** The processor time of the main thread in microseconds, from the scheduler of Linux. */
function mainThreadTime() {
  const [nanoseconds = ''] = readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(
    ' ',
  );
  return Number(nanoseconds) / 1000;
}

/** Returns microseconds of processor time per call: of all threads, and of the main thread. */
async function measure(call) {
  const calls = callsPerTurn * turns;
  const before = { cpu: process.cpuUsage(), main: mainThreadTime() };
  for (let turn = 0; turn < turns; turn++) {
    await Promise.all(Array.from({ length: callsPerTurn }, call));
  }
  const cpu = process.cpuUsage(before.cpu);
  const main = mainThreadTime() - before.main;
  return { cpu: (cpu.user + cpu.system) / calls, main: main / calls };
}

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

async function medians(call) {
  await measure(call);
  const results = [];
  for (let round = 0; round < rounds; round++) results.push(await measure(call));
  return ['cpu', 'main'].map((name) => median(results.map((one) => one[name])).toFixed(0));
}

console.log('alg, sign: cpu µs, main µs, verify: cpu µs, main µs, token length');
for (const alg of signingAlgorithms) {
  const [privateKey, publicKey] = await keysOf(alg);
  const signature = await privateKey.sign(message);
  const signed = await medians(() => privateKey.sign(message));
  const verified = await medians(() => publicKey.verify(message, signature));
  const length = message.length + 1 + signature.toString('base64url').length;
  console.log([alg, ...signed, ...verified, length].join(', '));
}
