// Looks up the TXT records that verify domains.
import { Resolver } from 'node:dns/promises';
import { fail } from '../../base/errors/errors.ts';

/** Returns the texts of a name's TXT records. Throws `unavailable` if DNS does not answer. */
export type ResolveTxt = (name: string) => Promise<readonly string[]>;

const attempt = { timeout: 2_000, tries: 2 };
/** The resolver asks one server after the other. */
const answerMs = 8_000;

/** `servers`: addresses such as `192.0.2.1:53`. By default, the servers of the system. */
export function createTxtResolver(servers?: readonly string[]): ResolveTxt {
  return async (name) => {
    const resolver = new Resolver(attempt);
    if (servers !== undefined) resolver.setServers(servers);
    const timer = setTimeout(() => resolver.cancel(), answerMs);
    try {
      const records = await resolver.resolveTxt(name);
      return records.map((parts) => parts.join('').trim());
    } catch (cause) {
      if (isMissing(cause)) return [];
      throw fail('unavailable', 'The DNS servers did not answer.', {
        cause,
        retryAfterSeconds: 10,
      });
    } finally {
      clearTimeout(timer);
    }
  };
}

/** The name does not exist, or has no TXT record. */
const missingCodes: readonly unknown[] = ['ENOTFOUND', 'ENODATA'];

const isMissing = (error: unknown) =>
  error instanceof Error && 'code' in error && missingCodes.includes(error.code);
