import { describe, expect, test } from 'vitest';
import { readConfig } from '../../../src/base/config/config.ts';
import { problemsOf } from '../../support/config-problems.ts';
import { itHoldsFor } from '../../support/rule.ts';

describe('mail', () => {
  const MAIL_FROM = 'a@b.example';
  itHoldsFor([
    ['smtp://m.example', { host: 'm.example', port: 587, encryption: 'starttls' }],
    ['smtp://m.example:25/', { host: 'm.example', port: 25, encryption: 'starttls' }],
    ['smtps://m.example', { host: 'm.example', port: 465, encryption: 'tls' }],
    ['smtps://127.0.0.1:2465', { host: '127.0.0.1', port: 2465, encryption: 'tls' }],
    ['smtp://127.0.0.1:1025', { host: '127.0.0.1', port: 1025, encryption: 'local' }],
    ['smtp://localhost', { host: 'localhost', port: 587, encryption: 'local' }],
    ['smtp://[::1]:25', { host: '::1', port: 25, encryption: 'local' }],
    ['smtp://[2001:db8::1]', { host: '2001:db8::1', port: 587, encryption: 'starttls' }],
    ['smtp://127.0.0.1.example', { encryption: 'starttls' }],
    ['smtp://localhost.example', { encryption: 'starttls' }],
    ['smtp://u%40x:p%3A%2F%23@m.example', { login: { user: 'u@x', password: 'p:/#' } }],
    ['smtp://m.example', { login: undefined }],
  ])('goes through the server of the URL', (url, smtp) => {
    const config = readConfig({ LATCHKEY_SMTP_URL: url, LATCHKEY_MAIL_FROM: MAIL_FROM });
    expect(config.smtp).toMatchObject(smtp);
  });

  itHoldsFor([
    ['https://share.example.com', 'no-reply@share.example.com'],
    ['https://share.example.com:8443', 'no-reply@share.example.com'],
    ['https://192.0.2.1', 'no-reply@localhost'],
    ['https://[2001:db8::1]', 'no-reply@localhost'],
    ['http://localhost:8080', 'no-reply@localhost'],
    ['http://share:8080', 'no-reply@localhost'],
  ])('comes from the host of the public URL', (url, address) => {
    const { mailFrom } = readConfig({ LATCHKEY_PUBLIC_URL: url });
    expect(mailFrom).toEqual({ name: 'Latchkey', address });
  });

  test('needs a sender for a server on another machine if the public URL has no domain', () => {
    const LATCHKEY_SMTP_URL = 'smtp://m.example';
    const problem = 'LATCHKEY_MAIL_FROM: must be set, because LATCHKEY_PUBLIC_URL has no domain';
    expect(problemsOf({ LATCHKEY_SMTP_URL })).toEqual([problem]);
    expect(problemsOf({ LATCHKEY_SMTP_URL, LATCHKEY_MAIL_FROM: '' })).toEqual([problem]);
    expect(problemsOf({ LATCHKEY_SMTP_URL, LATCHKEY_MAIL_FROM: MAIL_FROM })).toEqual([]);
    const LATCHKEY_PUBLIC_URL = 'https://share.example.com';
    expect(problemsOf({ LATCHKEY_SMTP_URL, LATCHKEY_PUBLIC_URL })).toEqual([]);
    expect(problemsOf({ LATCHKEY_SMTP_URL: 'smtp://localhost:1025' })).toEqual([]);
  });
});
