// Names the browser and the device of a session. The header can say anything, so the names only
// help users to recognize their sessions.
import bowser from 'bowser';

export type BrowserNames = { readonly browser: string; readonly device: string };

const programPattern = /^(latchkey|grpc-[a-z-]+|curl|node|python-[a-z]+|Go-http-client)\b/i;

/** Empty names if the header is missing or unknown. */
export function browserNames(userAgent: string | null): BrowserNames {
  if (userAgent === null || userAgent === '') return { browser: '', device: '' };
  const { browser, os, platform } = bowser.parse(userAgent);
  const [major = ''] = (browser.version ?? '').split('.');
  const program = programPattern.exec(userAgent)?.[1] ?? '';
  return {
    browser: join(browser.name || program, browser.name ? major : ''),
    device: join(platform.model ?? os.name, os.name === 'Windows' ? os.versionName : ''),
  };
}

const join = (...parts: readonly (string | undefined)[]) => parts.filter(Boolean).join(' ');
