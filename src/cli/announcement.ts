// The text that a successful start shows on the terminal.
import { readFile } from 'node:fs/promises';
import type { Config } from '../base/config/config.ts';
import type { App } from '../boot/app.ts';

export type StartedApp = Pick<
  App,
  'publicUrl' | 'grpcAddress' | 'opsUrl' | 'bootstrapFile' | 'bootstrapped'
>;

export type AnnouncementOptions = {
  readonly isTerminal: boolean;
  readonly bootstrap: Config['bootstrap'];
};

/** On a terminal, also returns the sign-in after the first start with demo data. */
export async function formatAnnouncement(
  { publicUrl, grpcAddress, opsUrl, bootstrapFile, bootstrapped }: StartedApp,
  { isTerminal, bootstrap }: AnnouncementOptions,
): Promise<string> {
  const lines = [
    'Latchkey is ready.',
    `  HTTP/JSON and Connect  ${publicUrl}`,
    `  the console            ${publicUrl}/console`,
    `  gRPC                   ${grpcAddress}`,
    `  operations             ${opsUrl}`,
  ];
  if (bootstrapped) lines.push(`  first credentials      ${bootstrapFile}`);
  if (bootstrapped && isTerminal && bootstrap === 'demo') {
    const { email, password } = await readSignIn(bootstrapFile);
    lines.push(
      '',
      'Sign in to the console. This is shown once:',
      `  email                  ${email}`,
      `  password               ${password}`,
    );
  }
  return `${lines.join('\n')}\n`;
}

async function readSignIn(file: string): Promise<{ email: string; password: string }> {
  const text = await readFile(file, 'utf8');
  const settingOf = (name: string) => new RegExp(`^${name}='(.*)'$`, 'm').exec(text)?.[1] ?? '';
  return { email: settingOf('STAFF_EMAIL'), password: settingOf('STAFF_PASSWORD') };
}
