// Whether a log contains secrets.
import type { TestApp } from './harness.ts';

/** Returns the texts of which the log has a part. The shorter parts of a JWT are not secret. */
export async function findLeaks(
  testApp: Pick<TestApp, 'logText'>,
  texts: readonly string[],
): Promise<string[]> {
  const log = await testApp.logText();
  // The log shortens long texts.
  const isLogged = (part: string) => part.length > 40 && log.includes(part.slice(0, 100));
  return texts.filter((text) => text.split('.').some(isLogged));
}
