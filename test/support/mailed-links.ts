// The links in mails that the service sent.
import { expect, vi } from 'vitest';
import { mailsOf } from './gate-visitor.ts';
import type { TestApp } from './harness.ts';

/** The tokens of the links to `page` that were mailed to an address, oldest first. */
export async function tokensFor(test: TestApp, email: string, page: string): Promise<string[]> {
  const links = new RegExp(`^${test.app.publicUrl}/console/${page}#(\\S+)$`, 'm');
  const mails = (await mailsOf(test)).filter(({ to }) => to === email);
  return mails.flatMap(({ text }) => links.exec(text)?.[1] ?? []);
}

/** Waits until `count` links have been mailed to an address, and returns the last token. */
export async function tokenOfMail(
  test: TestApp,
  email: string,
  { page, count = 1 }: { page: string; count?: number },
): Promise<string> {
  // Hooks also use this, so it cannot be `expect.poll`.
  return vi.waitFor(
    async () => {
      const tokens = await tokensFor(test, email, page);
      expect(tokens).toHaveLength(count);
      return tokens.at(-1) ?? '';
    },
    { timeout: 20_000 },
  );
}
