import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import type { SMTPServerOptions } from 'smtp-server';
import { afterEach, describe, expect, it } from 'vitest';
import { Failure } from '../../src/base/errors/errors.ts';
import type { Mail, OpenMailer } from '../../src/base/mail/mailer.ts';
import { createSmtpMailer, type SmtpOptions } from '../../src/base/mail/smtp.ts';
import { itHoldsFor } from '../support/rule.ts';
import { closedPort, startSmtpServer, type TestSmtpServer } from '../support/smtp.ts';

const mail: Mail = { to: 'reader@example.com', subject: 'Your code', text: '123456\n' };
const from = { name: 'Latchkey', address: 'no-reply@share.example.com' };
const login = { user: 'robot', password: 'sesame, open!' };
const now = () => Date.UTC(2026, 10, 21, 12, 30, 15);

const cleanUps: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

type Options = Partial<Omit<SmtpOptions, 'server'> & SmtpOptions['server']>;

function mailerFor(port: number, options: Options = {}): OpenMailer {
  const { encryption = 'local', login, ...rest } = options;
  const server = { host: '127.0.0.1', port, encryption, login };
  const mailer = createSmtpMailer({ from, random: randomBytes, now, server, ...rest });
  cleanUps.push(() => mailer.stop());
  return mailer;
}

async function smtpServer(options?: SMTPServerOptions): Promise<TestSmtpServer> {
  const server = await startSmtpServer(options);
  cleanUps.push(() => server.stop());
  return server;
}

/** Passes each connection to `serve`, and closes it when the test ends. */
async function rawServer(serve: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    serve(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanUps.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** The caller's error, and the log line. */
async function refusalOf(sending: Promise<void>): Promise<{ failure: Failure; cause: string }> {
  const thrown: unknown = await sending.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(thrown instanceof Failure)) throw new Error(`no failure: ${thrown}`);
  expect(thrown).toMatchObject({ code: 'unavailable', extra: { retryAfterSeconds: 30 } });
  const { cause } = thrown.extra;
  return { failure: thrown, cause: cause instanceof Error ? cause.message : '' };
}

const isLogin: NonNullable<SMTPServerOptions['onAuth']> = ({ username, password }, _, done) => {
  if (username === login.user && password === login.password) done(null, { user: username });
  else done(new Error(`no ${username}`));
};

describe('a mail', () => {
  it('is received unchanged', async () => {
    const server = await smtpServer();
    const text = `Grüße — 你好 🔑\n\n. a dot\n.\nFrom here  \n=3D ${'long '.repeat(300)}\n`;
    const subject = `Ein Schlüssel für „Übersicht“, ${'weiter '.repeat(20)}🔑`;
    await mailerFor(server.port).send({ ...mail, subject, text });

    expect(server.arrived).toHaveLength(1);
    expect(server.arrived[0]).toMatchObject({ from: from.address, to: [mail.to] });
    const parsed = server.arrived[0]?.mail;
    expect(parsed?.text).toBe(text);
    expect(parsed).toMatchObject({
      subject,
      from,
      to: [{ address: mail.to, name: '' }],
      date: '2026-11-21T12:30:15.000Z',
      messageId: expect.stringMatching(/^<[0-9A-Za-z]{22}@share\.example\.com>$/),
    });
    const headers = new Map(parsed?.headers.map(({ key, value }) => [key, value]));
    expect(headers.get('auto-submitted')).toBe('auto-generated');
    expect(headers.get('content-type')).toBe('text/plain; charset=utf-8');
  });

  itHoldsFor([
    ['a subject with line breaks', { subject: 'Code\r\nBcc: eve@example.com\r\n\r\nBody' }, {}],
    ['a name with line breaks', {}, { name: 'Us\r\nBcc: eve@example.com', address: from.address }],
    ['a name with a list', {}, { name: '"Us" <eve@example.com>, Me;', address: from.address }],
  ])('cannot get additional headers', async (_, part, sender) => {
    const server = await smtpServer();
    const options = { from: { ...from, ...sender } };
    await mailerFor(server.port, options).send({ ...mail, ...part });

    expect(server.arrived).toHaveLength(1);
    expect(server.arrived[0]).toMatchObject({ from: from.address, to: [mail.to] });
    const parsed = server.arrived[0]?.mail;
    expect(parsed).toMatchObject({ text: mail.text, from: { address: from.address } });
    expect(parsed?.bcc).toBeUndefined();
    expect(server.arrived[0]?.raw).not.toMatch(/^bcc:/im);
  });

  itHoldsFor([
    'a@example.com, b@example.com',
    'a@example.com\r\nRCPT TO:<b@example.com>',
    '"a, b" <a@example.com>',
    'a@example.com> SIZE=1',
    'a',
    '',
  ])('has a single recipient', async (to) => {
    const server = await smtpServer();
    const sending = mailerFor(server.port).send({ ...mail, to });
    await expect(sending).rejects.toThrow('a mail goes to a single address');
    expect(server.arrived).toEqual([]);
  });

  it('is sent once when many are sent at the same time', async () => {
    let connections = 0;
    const server = await smtpServer({
      onConnect(_, done) {
        connections++;
        done();
      },
    });
    const mailer = mailerFor(server.port);
    const subjects = Array.from({ length: 40 }, (_, i) => `Code ${i}`);
    await Promise.all(subjects.map((subject) => mailer.send({ ...mail, subject })));
    const got = server.arrived.map(({ mail }) => mail.subject ?? '');
    expect(got.sort()).toEqual(subjects.sort());
    expect(connections).toBeLessThanOrEqual(3);
  });
});

describe('an SMTP login', () => {
  it('is used', async () => {
    const server = await smtpServer({ authOptional: false, onAuth: isLogin });
    await mailerFor(server.port, { login }).send(mail);
    expect(server.arrived).toMatchObject([{ user: login.user, encrypted: false }]);
  });

  it("that fails is logged without the server's answer", async () => {
    const server = await smtpServer({ authOptional: false, onAuth: isLogin });
    const wrong = { user: 'robot.one', password: 'open, sesame!' };
    const { failure, cause } = await refusalOf(mailerFor(server.port, { login: wrong }).send(mail));
    expect(cause).toContain('code EAUTH, command AUTH PLAIN, responseCode 535');
    expect(failure.message + cause).not.toMatch(/sesame|robot|reader/);
  });

  it('is required even if the server offers none', async () => {
    const server = await smtpServer({ disabledCommands: ['AUTH'] });
    await refusalOf(mailerFor(server.port, { login }).send(mail));
    expect(server.arrived).toEqual([]);
  });
});

describe('encryption', () => {
  it('is required before a login is sent', async () => {
    const said: string[] = [];
    const port = await rawServer((socket) => {
      socket.write('220 hello\r\n');
      socket.on('data', (chunk) => {
        said.push(String(chunk));
        socket.write(/^(EHLO|HELO)/.test(String(chunk)) ? '250 AUTH PLAIN\r\n' : '502 no\r\n');
      });
    });
    const { cause } = await refusalOf(
      mailerFor(port, { encryption: 'starttls', login }).send(mail),
    );
    expect(cause).toContain('command STARTTLS');
    expect(said.join('')).toMatch(/STARTTLS/);
    expect(said.join('')).not.toMatch(/AUTH|MAIL/);
  });

  itHoldsFor(['starttls', 'tls'] as const)('requires a valid certificate', async (encryption) => {
    let logins = 0;
    const server = await smtpServer({
      hideSTARTTLS: false,
      secure: encryption === 'tls',
      onAuth(_auth, _session, done) {
        logins++;
        done(null, { user: 'x' });
      },
    });
    const { cause } = await refusalOf(mailerFor(server.port, { encryption, login }).send(mail));
    expect(cause).toMatch(/originalCode \w*CERT/);
    expect(server.arrived).toEqual([]);
    expect(logins).toBe(0);
  });

  it('is used with a local server that offers it', async () => {
    const server = await smtpServer({ hideSTARTTLS: false });
    await mailerFor(server.port).send(mail);
    expect(server.arrived).toMatchObject([{ encrypted: true }]);
  });
});

describe('a mail fails if the server', () => {
  it('refuses the address, and the next mail succeeds', async () => {
    const server = await smtpServer({
      onRcptTo({ address }, _, done) {
        done(address === mail.to ? new Error(`no ${address} here`) : null);
      },
    });
    const mailer = mailerFor(server.port);
    const { failure, cause } = await refusalOf(mailer.send(mail));
    expect(cause).toContain('code EENVELOPE, command RCPT TO, responseCode 550');
    expect(failure.message + cause).not.toContain('reader');
    await mailer.send({ ...mail, to: 'other@example.com' });
    expect(server.arrived).toMatchObject([{ to: ['other@example.com'] }]);
  });

  it('is unreachable', async () => {
    const { cause } = await refusalOf(mailerFor(closedPort).send(mail));
    expect(cause).toContain('originalCode ECONNREFUSED');
  });

  it('closes the connection', async () => {
    const port = await rawServer((socket) => socket.end());
    await refusalOf(mailerFor(port).send(mail));
  });

  it('does not answer', async () => {
    const port = await rawServer(() => {});
    await refusalOf(mailerFor(port, { timeoutMs: 200 }).send(mail));
  });

  it('sends data without ever completing an answer', async () => {
    const port = await rawServer((socket) => {
      const timer = setInterval(() => socket.write('220-wait\r\n'), 20);
      socket.on('close', () => clearInterval(timer));
    });
    await refusalOf(mailerFor(port, { timeoutMs: 500 }).send(mail));
  });

  it('has too many waiting mails, which also fail when the service stops', async () => {
    const port = await rawServer(() => {});
    const mailer = mailerFor(port, { timeoutMs: 60_000, pendingMax: 5 });
    const waiting = Array.from({ length: 5 }, () => refusalOf(mailer.send(mail)));
    const { failure } = await refusalOf(mailer.send(mail));
    expect(failure.message).toBe('Too many mails are being sent.');
    mailer.stop();
    for (const { failure } of await Promise.all(waiting)) {
      expect(failure.message).toBe('The mail cannot be sent.');
    }
    await refusalOf(mailer.send(mail));
  });
});
