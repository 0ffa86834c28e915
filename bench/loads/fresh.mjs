// gRPC load: VerifyToken with tokens of which none was seen before.

import { sendAll } from './frames.mjs';
import { callOnce, connections, decode, encode, pathOf, percentile, streams } from './grpc.mjs';

/** More than any server takes; a round that uses them up ends early. */
const tokensPerSecond = 8_000;

/** The service at `port` issues the tokens, by the same means, before each round. */
export function createFreshLoad({ port, issue, verify, issueFields, authorization, seconds }) {
  const issueMessage = encode(issue, issueFields);
  let messages = [];
  const good = (bytes) => decode(verify, bytes.subarray(5)).active;

  async function makeTokens(count) {
    const { answers, errors } = await sendAll({
      port,
      path: pathOf(issue),
      messages: Array(count).fill(issueMessage),
    });
    if (errors > 0) throw new Error(`${errors} tokens were refused`);
    return answers.map((bytes) => decode(issue, bytes.subarray(5)).accessToken);
  }

  return {
    description: `frames of our own, ${connections} connections of ${streams} streams, new tokens`,

    async probe(at) {
      const [token] = await makeTokens(1);
      const bytes = await callOnce(at, verify, encode(verify, { token }), authorization);
      if (!decode(verify, bytes).active) throw new Error(`the server at ${at} knows no good token`);
    },

    /** Both sides get the same tokens, each its first time. */
    async prepareRound() {
      const tokens = await makeTokens(tokensPerSecond * seconds);
      messages = tokens.map((token) => encode(verify, { token }));
    },

    async run(at, limit) {
      const path = pathOf(verify);
      const done = await sendAll({ port: at, path, authorization, messages, seconds: limit });
      const { answers, latencies } = done;
      const bad = answers.filter((bytes) => !good(bytes)).length;
      return {
        requestsPerSecond: (answers.length - bad) / done.seconds,
        p50Ms: percentile(latencies, 0.5),
        p99Ms: percentile(latencies, 0.99),
        errors: done.errors + bad,
      };
    },
  };
}
