// gRPC load: VerifyToken with a new token in each call.

import { sendAll } from './frames.mjs';
import { callOnce, connections, decode, encode, pathOf, percentile, streams } from './grpc.mjs';

/** More than any server verifies. A round ends early if all tokens are used. */
const tokensPerSecond = 8_000;

/** Before each round, the service at `port` issues the tokens. */
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
      if (!decode(verify, bytes).active)
        throw new Error(`the server at ${at} rejects a valid token`);
    },

    /** Creates new tokens. Both servers get the same ones. */
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
        requests: answers.length - bad,
        requestsPerSecond: (answers.length - bad) / done.seconds,
        p50Ms: percentile(latencies, 0.5),
        p99Ms: percentile(latencies, 0.99),
        errors: done.errors + bad,
      };
    },
  };
}
