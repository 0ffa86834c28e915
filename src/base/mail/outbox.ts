// Writes each mail to a file, for trials without an SMTP server.
import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { createTransport } from 'nodemailer';
import { randomText } from '../crypto/ids.ts';
import { fail } from '../errors/errors.ts';
import { removeTemporaries, writeFileOnce } from '../files/durable-files.ts';
import { makePrivateFolder } from '../files/private-files.ts';
import type { OpenMailer } from './mailer.ts';
import { createMessage, type MessageOptions } from './message.ts';

export type OutboxOptions = MessageOptions & {
  readonly folder: string;
  readonly filesMax?: number;
};

export async function openOutbox(options: OutboxOptions): Promise<OpenMailer> {
  const { folder, filesMax = 1_000, random, now } = options;
  await makePrivateFolder(folder);
  await removeTemporaries(folder, (name) => name.endsWith('.eml'));
  const composer = createTransport({ streamTransport: true, buffer: true, newline: 'windows' });
  // Keeps the text as it is written, so that its links can be copied from the file.
  composer.use('stream', ({ message }, done) => {
    const parts = message === undefined ? [] : [message, ...message.childNodes];
    for (const part of parts) {
      if (part.childNodes.length === 0) part.getTransferEncoding = () => '8bit';
    }
    done();
  });

  async function removeOldest(): Promise<void> {
    const names = (await readdir(folder)).filter((name) => name.endsWith('.eml')).sort();
    const surplus = names.slice(0, Math.max(0, names.length - filesMax));
    await Promise.all(surplus.map((name) => rm(path.join(folder, name), { force: true })));
  }

  return {
    async send(mail) {
      const { message } = await composer.sendMail(createMessage(mail, options));
      const time = new Date(now()).toISOString().replace(/[-:]/g, '');
      const file = path.join(folder, `${time}-${randomText(random)}.eml`);
      try {
        await writeFileOnce(file, message.toString());
        await removeOldest();
      } catch (cause) {
        throw fail('unavailable', 'The mail cannot be sent.', {
          cause,
          retryAfterSeconds: 30,
        });
      }
    },
    stop() {},
  };
}
