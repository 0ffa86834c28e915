// The gate in a browser.
import type { BrowserContextOptions } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { desktop, overhangOf, phone } from '../support/browser-pages.ts';
import { answer, expectAsked, expectDocument, expectError, press } from '../support/gate-pages.ts';
import { codesFor, lastCode, wrongCode } from '../support/gate-visitor.ts';
import { makePdf } from '../support/pdf.ts';
import { itHoldsFor } from '../support/rule.ts';
import {
  callSharingApi,
  type LinkFields,
  makeLink,
  makePng,
  serviceCredential,
  upload,
} from '../support/sharing-api.ts';
import { useViewer } from '../support/viewer-suite.ts';

const pdf = makePdf({ pages: 2, text: 'The terms' });
const password = 'open sesame';
const every = { password, email_required: true, email_verification_required: true };

/** The clock of the service, which is stopped: no wait of the gate depends on the tests' speed. */
const clock = { now: Date.now() };
const { app, read } = useViewer({ now: () => clock.now });
let documentId: string;
beforeAll(async () => {
  documentId = (await upload(app(), pdf, 'terms.pdf')).id;
});

const share = (options: object): Promise<LinkFields> => makeLink(app(), documentId, { ...options });

async function open(link: LinkFields, options: BrowserContextOptions = desktop) {
  const reader = await read(options);
  await reader.page.goto(link.url);
  return reader;
}

/** Chromium logs error responses. */
const ownLog = /^Failed to load resource: the server responded with a status of 4\d\d/;
const unexpected = (complaints: string[]) => complaints.filter((one) => !ownLog.test(one));

itHoldsFor([
  ['desk', desktop],
  ['phone', phone],
])('a link with all checks opens step by step', async (name, options) => {
  const email = `reader.of.a.rather.long.name.on.${name}@mail.department.example.com`;
  const link = await share(every);
  const { page, requests, complaints } = await open(link, options);
  const fits = async (step: string) => {
    const number = ['password', 'email', 'code'].indexOf(step.replace('-error', '')) + 1;
    await page.getByText(`Step ${number} of 3`, { exact: true }).waitFor();
    expect(await overhangOf(page), step).toBe(0);
    for (const button of await page.getByRole('button').all()) {
      expect((await button.boundingBox())?.height, step).toBeGreaterThanOrEqual(44);
    }
  };

  await expectAsked(page, 'Password');
  await fits('password');
  await answer(page, 'Password', 'a guess');
  await expectError(page, 'Password', 'Wrong password');
  await fits('password-error');
  await answer(page, 'Password', password);

  await expectAsked(page, 'Email address');
  await fits('email');
  await answer(page, 'Email address', 'reader@localhost');
  await expectError(page, 'Email address', 'name@example.com');
  expect(await page.getByLabel('Email address').inputValue()).toBe('reader@localhost');
  await answer(page, 'Email address', email);

  await expectAsked(page, 'Code');
  await fits('code');
  const code = await lastCode(app(), email);
  await answer(page, 'Code', wrongCode(code));
  await expectError(page, 'Code', 'wrong or has expired');
  await fits('code-error');
  expect(requests.filter((request) => /file|download|pdf/.test(request))).toEqual([]);
  const scripts = requests.filter((request) => request.includes('.js'));
  expect(scripts.filter((script) => !/\/gate-[\w-]+\.js$/.test(script))).toEqual([]);
  await answer(page, 'Code', code);

  await expectDocument(page);
  expect(unexpected(complaints)).toEqual([]);
  const views = () => callSharingApi(app(), 'GET', `/links/${link.id}/views`);
  await expect.poll(views).toMatchObject({ body: { views: [{ email, email_verified: true }] } });
  await page.reload();
  await expectDocument(page);
});

it('a link with only a password opens with the keyboard', async () => {
  const link = await share({ password });
  const { page, complaints } = await open(link);
  expect(await page.getByText(/^Step/).count()).toBe(0);
  const focused = () => page.evaluate<string>('document.activeElement.name');
  await expect.poll(focused).toBe('password');
  await page.keyboard.type(password);
  await page.keyboard.press('Enter');
  await expectDocument(page);
  expect(complaints).toEqual([]);
});

it('every step works without JavaScript', async () => {
  const email = 'scriptless@example.com';
  const link = await share(every);
  const { page, complaints } = await open(link, { ...desktop, javaScriptEnabled: false });
  await answer(page, 'Password', password);
  await answer(page, 'Email address', email);
  await page.getByLabel('Code').fill(await lastCode(app(), email));
  expect(await page.locator('.digits i').count()).toBe(6);
  for (const [width, colorScheme] of [
    [320, 'light'],
    [390, 'dark'],
    [1280, 'light'],
  ] as const) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 800 });
    // A field that scrolls would shift the digits out of their boxes.
    for (const wide of ['html', '.code']) {
      const overhang = `(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)`;
      const field = `document.querySelector('${wide}')`;
      expect(await page.evaluate(`${overhang}(${field})`), `${wide} ${width}`).toBe(0);
    }
  }
  await press(page, 'Continue');
  await page.getByRole('heading', { name: 'JavaScript is required' }).waitFor();
  expect(complaints).toEqual([]);
});

it('a pasted code with a space is submitted once, and a part of a code is not', async () => {
  const email = 'paste@example.com';
  const link = await share({ email_required: true, email_verification_required: true });
  const { page, requests } = await open(link, phone);
  await answer(page, 'Email address', email);
  const code = await lastCode(app(), email);
  const gate = `POST ${new URL(link.url).pathname}`;
  const posts = () => requests.filter((request) => request === gate).length;
  await page.getByLabel('Code').fill(code.slice(0, 5));
  expect(posts()).toBe(1);
  // The Enter key follows before the answer arrives.
  await page.route(link.url, async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 300));
    await route.continue();
  });
  const arrived = page.waitForEvent('load');
  await page.getByLabel('Code').fill(` ${code.slice(0, 3)} ${code.slice(3)}`);
  await page.keyboard.press('Enter');
  await arrived;
  await expectDocument(page);
  expect(posts()).toBe(2);
});

it('the gate and the viewer have the colour and the logo of the workspace', async () => {
  const { publicUrl } = app().app;
  const headers = await serviceCredential(app(), 'workspaces:write');
  const url = `${publicUrl}/workspaces/${app().env.WORKSPACE_ID}`;
  const form = new FormData();
  form.set('file', new Blob([new Uint8Array(makePng(160, 40))]), 'logo.png');
  await fetch(`${url}/logo`, { method: 'PUT', headers, body: form });
  await fetch(url, {
    method: 'PATCH',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ brand: { accent_color: '#ffcc00' } }),
  });
  const link = await share({ email_required: true, email_verification_required: true });
  const { page, complaints } = await open(link);
  /** Checks the page in each size and color scheme, and ends with a light desktop. */
  const inAllForms = async (check = async () => {}) => {
    for (const width of [390, 1024, 1440]) {
      for (const colorScheme of ['dark', 'light'] as const) {
        await page.setViewportSize({ width, height: width === 390 ? 844 : 800 });
        await page.emulateMedia({ colorScheme });
        await check();
        expect(await overhangOf(page)).toBe(0);
      }
    }
  };
  const logo = page.getByRole('img', { name: 'Demo workspace' });
  await expect.poll(() => page.evaluate("document.querySelector('.logo').naturalWidth")).toBe(160);
  await inAllForms(async () => {
    const colors = await page.evaluate(`(() => {
      const { backgroundColor, color } = getComputedStyle(document.querySelector('.gate button'));
      return [backgroundColor, color];
    })()`);
    expect(colors).toEqual(['rgb(255, 204, 0)', 'rgb(0, 0, 0)']);
  });
  await answer(page, 'Email address', 'brand@example.com');
  await expectAsked(page, 'Code');
  await inAllForms();
  await answer(page, 'Code', await lastCode(app(), 'brand@example.com'));
  await expectDocument(page);
  await inAllForms(async () => {
    await logo.waitFor();
    const mark = "getComputedStyle(document.querySelector('h1'), '::before').display";
    expect(await page.evaluate(mark)).toBe('none');
  });
  expect(unexpected(complaints)).toEqual([]);
});

it('a mistyped email can be corrected with the button and by going back', async () => {
  const link = await share({ email_required: true, email_verification_required: true });
  const { page } = await open(link);
  await answer(page, 'Email address', 'raeder@example.com');
  await expectAsked(page, 'Code');
  await press(page, 'Use another email');
  await answer(page, 'Email address', 'raeder2@example.com');
  await expectAsked(page, 'Code');
  await page.goBack();
  await page.goto(link.url);
  await expectAsked(page, 'Code');
  await press(page, 'Use another email');

  await answer(page, 'Email address', 'reader@example.com');

  await expect.poll(() => page.locator('strong').textContent()).toBe('reader@example.com');
  await answer(page, 'Code', await lastCode(app(), 'reader@example.com'));
  await expectDocument(page);
});

it('a new code can be requested, and only the last one works', async () => {
  const email = 'patient@example.com';
  const link = await share({ email_required: true, email_verification_required: true });
  const { page } = await open(link, phone);
  await answer(page, 'Email address', email);
  await expectAsked(page, 'Code');

  await press(page, 'Send new code');
  await expectError(page, 'Code', 'We already sent a code');
  clock.now += 31_000;
  await press(page, 'Send new code');

  await expect.poll(() => page.getByRole('status').textContent()).toContain('We sent a new code');
  const codes = await codesFor(app(), email);
  expect(codes).toHaveLength(2);
  await answer(page, 'Code', codes.at(-1) ?? '');
  await expectDocument(page);
});

it('a code that has arrived works although no more are sent', async () => {
  const email = 'patient.reader@example.com';
  const options = { email_required: true, email_verification_required: true };
  const link = await share(options);
  for (let i = 0; i < 6; i++) {
    clock.now += 1_000;
    const { url } = i < 5 ? await share(options) : link;
    const body = new URLSearchParams({ email });
    expect((await fetch(url, { method: 'POST', body, redirect: 'manual' })).status).toBe(303);
  }
  clock.now += 31_000;
  const { page } = await open(link, phone);

  await answer(page, 'Email address', email);

  await expectError(page, 'Code', 'try the newest first');
  expect(await overhangOf(page)).toBe(0);
  await page.goto(link.url);
  await expectAsked(page, 'Code');
  await answer(page, 'Code', await lastCode(app(), email));
  await expectDocument(page);
});

it('too many wrong passwords show when to try again', async () => {
  const link = await share({ password });
  const { page } = await open(link, phone);
  for (let i = 0; i < 10; i++) {
    await answer(page, 'Password', `guess ${i}`);
    await expectError(page, 'Password', 'Wrong password');
  }
  clock.now += 1_000;
  // Each delay is twice the last one.
  for (let wait = 2; wait <= 64; wait *= 2) {
    await answer(page, 'Password', 'one more guess');
    await expectError(page, 'Password', 'Wrong password');
    clock.now += wait === 64 ? 0 : wait * 1_000;
  }
  await answer(page, 'Password', password);
  await expectError(page, 'Password', 'There were too many wrong passwords. Try again in');

  clock.now += 64_000;
  await answer(page, 'Password', password);
  await expectDocument(page);
});
