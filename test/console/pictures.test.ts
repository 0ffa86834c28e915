// Screenshots for the README. They are written to docs/ if LATCHKEY_WRITE_PICTURES is 'true'.
import { createHash, generateKeyPairSync } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { BrowserContextOptions } from 'playwright-core';
import { beforeAll, it } from 'vitest';
import { transact } from '../../src/storage/database.ts';
import { desktop, phone, takePicture } from '../support/browser-pages.ts';
import { type ConsoleUser, useConsole } from '../support/console-suite.ts';
import { addViews, dayMs } from '../support/link-rows.ts';
import { credentialFor } from '../support/member-rows.ts';
import { makeReport } from '../support/report-pdf.ts';
import { type LinkFields, makeLink, makePng, upload } from '../support/sharing-api.ts';

const images = path.resolve(import.meta.dirname, '../../docs/images');
const isWriting = process.env.LATCHKEY_WRITE_PICTURES === 'true';

const { app, workspaceId, visitAs, staff, member } = useConsole();

let owner: ConsoleUser;
let admin: ConsoleUser;
let link: LinkFields;

beforeAll(async () => {
  const address = { email: 'workspace@example.com', name: 'Owner' };
  owner = await member('owner', workspaceId(), address);
  admin = await staff(undefined, { email: 'operator@example.com', name: 'Staff' });
  await addDocuments();
  await addKeys();
  await addSigningKeys();
});

async function addDocuments(): Promise<void> {
  await upload(app(), makePng(640, 400), 'Floor plan.png');
  await upload(app(), makeReport(), 'Price list 2027.pdf');
  const report = await upload(app(), makeReport(), 'Quarterly report.pdf');
  await makeLink(app(), report.id, { name: 'Website' });
  const options = { name: 'To investors', email_required: true, email_verification_required: true };
  link = await makeLink(app(), report.id, options);
  const now = Date.now();
  const daysAgo = [0, 0, 1, 1, 1, 1, 2, 2, 5, 6, 6, 6, 7, 7, 8, 9, 12, 13, 13, 14, 14, 15, 19, 20];
  const views = daysAgo.map((days, at) => ({
    time: now - days * dayMs - at * 60_000,
    pages: { 1: 20_000 + at * 1000, 2: 65_000 - at * 900, 3: 15_000, 4: at % 3 === 0 ? 40_000 : 0 },
  }));
  await addViews(app(), link, views.reverse());
}

async function addKeys(): Promise<void> {
  const scope = 'api_keys:write documents:read documents:write links:read links:write';
  const { authorization } = await credentialFor(app(), { type: 'staff', scope });
  for (const [name, scopes, days] of [
    ['Website', ['documents:read', 'links:read'], 90],
    ['Nightly upload', ['documents:read', 'documents:write'], undefined],
    ['CRM', ['links:read', 'links:write'], 365],
  ] as const) {
    await fetch(`${app().app.publicUrl}/api/v1/api-keys`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({
        workspace_id: workspaceId(),
        name,
        scopes,
        ...(days === undefined
          ? {}
          : { expire_time: new Date(Date.now() + days * dayMs).toISOString() }),
      }),
    });
  }
}

/** The keys after some months, shortly after a rotation, with another key created by hand. */
async function addSigningKeys(): Promise<void> {
  const { db } = app().app.inside;
  const now = Date.now();
  const turned = now - 20 * 60_000;
  await transact(db, async (trx) => {
    await trx
      .updateTable('signing_keys')
      .set({ create_time: turned - 3_600_000, activate_time: turned })
      .execute();
    for (const months of [1, 2, 3]) {
      const activated = turned - months * 30 * dayMs;
      const retired = activated + 30 * dayMs;
      const { x = '' } = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' });
      await trx
        .insertInto('signing_keys')
        .values({
          kid: createHash('sha256').update(x).digest('base64url'),
          state: months === 1 ? 'retired' : 'removed',
          public_x: x,
          private_ciphertext: '',
          master_key_id: '',
          create_time: activated - 3_600_000,
          activate_time: activated,
          retire_time: retired,
          remove_time: retired + 3_610_000,
          revoke_time: null,
          token_seconds_max: 3600,
        })
        .execute();
    }
  });
  const headers = await credentialFor(app(), { type: 'staff', scope: 'signing_keys:write' });
  await fetch(`${app().app.publicUrl}/signing-keys`, { method: 'POST', headers });
}

type Setting = {
  readonly options: BrowserContextOptions;
  readonly path: () => string;
  readonly who?: () => ConsoleUser;
  /** Not part of docs/. */
  readonly isDraft?: boolean;
};

const dark = { colorScheme: 'dark' } as const;
const below = (rest: string) => () => `/workspaces/${workspaceId()}/${rest}`;
const linkPath = () => below(`links/${link.id}`)();
const ofStaff = { who: () => admin };

const settings: Record<string, Setting> = {
  documents: { options: desktop, path: below('documents') },
  link: { options: { ...desktop, viewport: { width: 1280, height: 900 } }, path: linkPath },
  'link-phone': { options: { ...phone, ...dark }, path: linkPath, isDraft: true },
  'api-keys': { options: desktop, path: below('settings/api-keys') },
  'signing-keys': { options: desktop, path: () => '/signing-keys', ...ofStaff },
  audit: { options: { ...desktop, ...dark }, path: () => '/audit', ...ofStaff, isDraft: true },
  account: { options: { ...desktop, ...dark }, path: () => '/account', isDraft: true },
};

it.each(Object.entries(settings))('the picture %s can be taken', async (name, setting) => {
  const { options, path: pathOf, who = () => owner, isDraft = false } = setting;
  const { page, open } = await visitAs(who(), options);
  await open(pathOf());

  const image = await takePicture(page, `console-${name}`);
  if (isWriting && !isDraft) await writeFile(path.join(images, `console-${name}.png`), image);
});
