// The links in mails that the service sent.
import { expect } from 'vitest';
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
  const tokens = () => tokensFor(test, email, page);
  await expect.poll(async () => (await tokens()).length, { timeout: 10_000 }).toBe(count);
  return (await tokens()).at(-1) ?? '';
}
