// Names the browser and the device of a session. The header can say anything, so the names only
// help users to recognize their sessions.
import bowser from 'bowser';

export type BrowserNames = { readonly browser: string; readonly device: string };

/** Other names are not shown: someone could write a sentence there, to mislead a user. */
const browsers: ReadonlySet<string> = new Set(Object.values(bowser.BROWSER_MAP));

const grpc = 'grpc-(?:node-js|go|java-netty|java-okhttp|python|c|csharp|dotnet)';
const others = 'latchkey|curl|node|python-(?:requests|httpx|urllib)|Go-http-client';
const programPattern = new RegExp(`^(${grpc}|${others})\\b`, 'i');

/** Empty names if the header is missing or unknown. */
export function browserNames(userAgent: string | null): BrowserNames {
  if (userAgent === null || userAgent === '') return { browser: '', device: '' };
  const { browser, os, platform } = bowser.parse(userAgent);
  const [major = ''] = /^\d{1,4}\b/.exec(browser.version ?? '') ?? [];
  const name = browsers.has(browser.name ?? '') ? browser.name : '';
  const program = programPattern.exec(userAgent)?.[1] ?? '';
  return {
    browser: join(name || program, name ? major : ''),
    device: join(platform.model ?? os.name, os.name === 'Windows' ? os.versionName : ''),
  };
}

const join = (...parts: readonly (string | undefined)[]) => parts.filter(Boolean).join(' ');
