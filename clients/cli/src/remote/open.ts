// `open`: opens the console or a link in the browser.
import { spawn } from 'node:child_process';
import { LinkService } from '../../../../gen/latchkey/sharing/v1/link_pb.js';
import { CommandError, type CommandHost, type Input } from '../base/command.ts';
import { write } from '../base/print.ts';
import { readLinkId, workspaceIdOf } from './named-ids.ts';
import { openRemote } from './remote.ts';

export async function runOpen(input: Input, host: CommandHost): Promise<number> {
  const remote = await openRemote(host);
  const named = input.args['link-id'];
  let address = `${remote.profile.server}/console`;
  if (named !== undefined) {
    const workspaceId = workspaceIdOf(input, remote) ?? '';
    const linkId = await readLinkId(named, remote, workspaceId);
    const { link } = await remote.call(LinkService.method.getLink, { linkId, workspaceId });
    address = link?.url ?? '';
  }
  // A browser could do anything with the address of another scheme.
  if (!URL.canParse(address) || !/^https?:$/.test(new URL(address).protocol)) {
    throw new CommandError('The server returned an address that is not http or https');
  }
  // A URL percent-encodes control characters.
  const { href } = new URL(address);
  if (input.options.print === true) await write(host, `${href}\n`);
  else await openInBrowser(href, host);
  return 0;
}

const openers: Partial<Record<NodeJS.Platform, string>> = { darwin: 'open', win32: 'explorer' };

function openInBrowser(address: string, { env }: CommandHost): Promise<void> {
  const command = env.BROWSER || (openers[process.platform] ?? 'xdg-open');
  return new Promise((resolve, reject) => {
    const child = spawn(command, [address], { stdio: 'ignore', detached: true });
    child.once('error', (error) => {
      reject(new CommandError(`Cannot start a browser for ${address}`, error));
    });
    child.once('spawn', () => {
      child.unref();
      resolve();
    });
  });
}
