// Shared by the console suites: an app, a browser, and signed-in users.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type axe from 'axe-core';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, onTestFinished } from 'vitest';
import { managementScopes } from '../../src/api/access/scopes.ts';
import type { Database, MemberRow } from '../../src/storage/schema/schema.ts';
import { sharedBrowser } from './browser.ts';
import { desktop, newReader, type Reader, settle } from './browser-pages.ts';
import { startTestApp, type TestApp, type TestAppOptions } from './harness.ts';
import { isFull } from './matrix.ts';
import { addMember, credentialFor, liveSessions } from './member-rows.ts';
import { addSession, addUser, type TestUser } from './user-rows.ts';

export type ConsoleUser = {
  readonly id: string;
  readonly email: string;
  readonly password: string;
};

export type ConsoleVisit = Reader & {
  /** Opens a page of the console by its path, such as `/clients`, and waits for its content. */
  open(path: string): Promise<void>;
};

const axeFile = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
const axeSource = readFileSync(axeFile, 'utf8');

/** Chromium itself logs each error response. */
const ownLog = /^Failed to load resource: the server responded with a status of \d+/;

/** Starts an app and a browser for a suite. The suite fails if a page logs an error. */
export function useConsole(options: TestAppOptions = {}) {
  let test: TestApp;
  let browser: Browser;
  const visits: Reader[] = [];
  beforeAll(async () => {
    test = await startTestApp(options);
    browser = await sharedBrowser();
  });
  afterEach(() => {
    const complaints = visits.splice(0).flatMap((visit) => visit.complaints);
    expect(complaints.filter((complaint) => !ownLog.test(complaint))).toEqual([]);
  });
  afterAll(() => test?.remove());

  const db = (): Database => test.app.inside.db;

  /** A visitor who is not signed in. */
  async function visit(settings: BrowserContextOptions = desktop): Promise<ConsoleVisit> {
    const reader = await newReader(browser, test.app.publicUrl, settings);
    visits.push(reader);
    onTestFinished(() => reader.page.context().close());
    return {
      ...reader,
      async open(path) {
        await reader.page.goto(`${test.app.publicUrl}/console${path}`);
        await reader.page.getByRole('heading', { level: 1 }).waitFor();
        await contentLoaded(reader.page);
      },
    };
  }

  type Visiting = BrowserContextOptions & {
    /** The time of the sign-in: milliseconds since 1970; by default now. */
    readonly signedInAt?: number;
  };

  /** A visitor whose browser holds a session cookie. */
  async function visitAs(
    { id }: Pick<ConsoleUser, 'id'>,
    { signedInAt = Date.now(), ...settings }: Visiting = desktop,
  ): Promise<ConsoleVisit> {
    const visitor = await visit(settings);
    const { cookie } = await addSession(db(), id, { createTime: signedInAt });
    await visitor.page
      .context()
      .addInitScript("localStorage.setItem('latchkey session', 'started')");
    await visitor.page
      .context()
      .addCookies([{ name: 'latchkey_session', value: cookie, url: test.app.publicUrl }]);
    return visitor;
  }

  async function person(user: Partial<TestUser>): Promise<ConsoleUser> {
    const password = 'correct horse battery staple';
    const { id, email } = await addUser(db(), { ...user, password });
    return { id, email, password };
  }

  return {
    app: () => test,
    workspaceId: () => test.env.WORKSPACE_ID,
    visit,
    visitAs,
    /** A staff user, by default with every scope. */
    staff: (scopes: readonly string[] = managementScopes, user: Partial<TestUser> = {}) =>
      person({ ...user, kind: 'staff', scopes: scopes.join(' ') }),
    /** A member of a workspace, by default of the first. */
    async member(
      role: MemberRow['role'],
      workspaceId = test.env.WORKSPACE_ID,
      user: Partial<TestUser> = {},
    ): Promise<ConsoleUser> {
      const member = await person({ ...user, kind: 'member' });
      await addMember(db(), workspaceId, role, member.id);
      return member;
    },
  };
}

/** Waits until the page shows no loader. */
export async function contentLoaded(page: Page): Promise<void> {
  const loaders = page.getByRole('img', { name: /^Loading/ });
  await expect.poll(() => loaders.count()).toBe(0);
}

/** Ends every session of the user from another browser, without using the page. */
export async function endSessions({ app }: TestApp, userId: string): Promise<void> {
  const others = await liveSessions(app.inside.db, userId);
  const { cookie } = await addSession(app.inside.db, userId);
  for (const id of others) {
    const response = await fetch(`${app.publicUrl}/sessions/${id}`, {
      method: 'DELETE',
      headers: { cookie: `latchkey_session=${cookie}` },
    });
    expect(response.status).toBe(200);
  }
}

/** Adds a user to a workspace, as staff do, without using the page. */
export async function addToWorkspace(test: TestApp, userId: string): Promise<void> {
  const { WORKSPACE_ID } = test.env;
  const headers = await credentialFor(test, { type: 'staff', scope: managementScopes.join(' ') });
  const address = `${test.app.publicUrl}/workspaces/${WORKSPACE_ID}/members/${userId}`;
  const response = await fetch(address, {
    method: 'PUT',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ role: 'MEMBER_ROLE_MEMBER' }),
  });
  expect(response.status).toBe(200);
}

/** So long ago that every action that needs a recent sign-in asks for one. */
export const staleSignInTime = () => Date.now() - 20 * 60_000;

/** Fills in the steps of a sign-in, on the page or in the dialog. */
export async function fillSignIn(page: Page, { email, password }: ConsoleUser, otp = '') {
  const form = page.locator('form', { has: page.locator('input[name=password]') });
  const field = page.locator('input[name=email]');
  await form.or(field).first().waitFor();
  if (await field.isVisible()) {
    await field.fill(email);
    await page.getByRole('button', { name: 'Continue' }).click();
  }
  await form.waitFor();
  await form.locator('input[name=password]').fill(password);
  if (otp !== '') await fillCode(page, otp);
  await form.getByRole('button', { name: 'Sign in' }).click();
}

/** Fills in the one-time code, which the form of the page shows after a click. */
export async function fillCode(page: Page, otp: string): Promise<void> {
  const code = page.getByLabel('One-time code');
  const button = page.getByRole('button', { name: 'Use a one-time code' });
  await code.or(button).first().waitFor();
  if (await button.isVisible()) await button.click();
  await code.fill(otp);
}

/** Checks the page with axe, which must not report a serious violation. */
export async function expectAccessible(page: Page): Promise<void> {
  await expectNoViolations(page, {});
}

/** Changes the color scheme of the visitor's system, and waits until the page shows it. */
export async function changeColorScheme(page: Page, colorScheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme });
  await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor();
}

/** Checks only colour contrast, the only rule that depends on the colour scheme. */
export async function expectContrast(page: Page): Promise<void> {
  await expectNoViolations(page, { runOnly: ['color-contrast', 'link-in-text-block'] });
}

/** Only in the full matrix, because a check of a page takes as long as the rest of a test. */
async function expectNoViolations(page: Page, options: axe.RunOptions): Promise<void> {
  if (!isFull) return;
  await settle(page);
  if (!(await page.evaluate<boolean>('"axe" in window'))) await page.evaluate(axeSource);
  const rules = { 'target-size': { enabled: true } };
  const all = { rules, ...options, resultTypes: ['violations'] };
  const run = `axe.run(${JSON.stringify(all)})`;
  const { violations } = await page.evaluate<axe.AxeResults>(run);
  // Open menus and lists are outside of the landmarks, at the end of the document.
  const shown = violations.filter(({ id }) => id !== 'region');
  const texts = shown.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html)}`);
  expect(texts, page.url()).toEqual([]);
}
