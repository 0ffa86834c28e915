// A visitor at the gate of a link, with a browser's cookies and a mailbox.
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import PostalMime from 'postal-mime';
import { expect } from 'vitest';
import type { TestApp } from './harness.ts';
import type { LinkFields } from './sharing-api.ts';

export type GateAnswer = {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
};

export class Visitor {
  readonly #link: LinkFields;
  readonly cookies = new Map<string, string>();

  constructor(link: LinkFields) {
    this.#link = link;
  }

  get cookie(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  get(route = '', init: RequestInit = {}): Promise<GateAnswer> {
    return this.#ask(route, init);
  }

  post(fields: Record<string, string>): Promise<GateAnswer> {
    return this.#ask('', { method: 'POST', body: new URLSearchParams(fields) });
  }

  /**
   * The label of the field that the page shows; `document` if it shows and reports the document.
   */
  async asked(): Promise<string> {
    const asked = fieldAskedBy(await this.get());
    if (asked === 'document') {
      const body = new URLSearchParams({ visit: 'a'.repeat(16), pages: '0:0' });
      expect((await this.#ask('/view', { method: 'POST', body })).status).toBe(204);
    }
    return asked;
  }

  async #ask(route: string, init: RequestInit): Promise<GateAnswer> {
    const response = await fetch(this.#link.url + route, {
      ...init,
      headers: { cookie: this.cookie, ...init.headers },
      redirect: 'manual',
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      this.cookies.set(name, value);
    }
    return { status: response.status, headers: response.headers, text: await response.text() };
  }
}

export function fieldAskedBy({ text }: GateAnswer): string {
  const [, label] = /<label>(.+)/.exec(text) ?? [];
  return label ?? (text.includes('id="viewer"') ? 'document' : 'nothing');
}

/** The error message on the page. */
export function alertOf({ text }: GateAnswer): string {
  return /role="alert">([^<]*)</.exec(text)?.[1] ?? '';
}

export type Received = {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
};

/** All mails that were sent, oldest first. */
export async function mailsOf({ dataDir }: TestApp): Promise<Received[]> {
  const folder = path.join(dataDir, 'outbox');
  const names = (await readdir(folder)).filter((name) => name.endsWith('.eml')).sort();
  return Promise.all(
    names.map(async (name) => {
      const { to, subject, text, html } = await PostalMime.parse(
        await readFile(path.join(folder, name)),
      );
      const address = to?.[0]?.address ?? '';
      return { to: address, subject: subject ?? '', text: text ?? '', html: html ?? '' };
    }),
  );
}

/** The link of a code that a test requests without a gate. */
export const mailedLink = { slug: '0123456789abcdefghijkl', title: undefined };

/** The codes that were sent to an address, oldest first. */
export async function codesFor(test: TestApp, email: string): Promise<string[]> {
  const mails = (await mailsOf(test)).filter(({ to }) => to === email);
  // Also notices and receipts are sent to the address.
  return mails.flatMap(({ text }) => /^Your code is (\d{6})$/m.exec(text)?.slice(1) ?? []);
}

/** The last code that was sent to an address. */
export async function lastCode(test: TestApp, email: string): Promise<string> {
  const code = (await codesFor(test, email)).at(-1) ?? '';
  expect(code).toMatch(/^\d{6}$/);
  return code;
}

/** A code that differs from this one. */
export function wrongCode(code: string, by = 1): string {
  return String((Number(code) + by) % 1_000_000).padStart(6, '0');
}
