// Links for many recipients, and the mails to them.
import type { Suite } from './app-suite.ts';
import { mailsOf } from './gate-visitor.ts';
import { callSharingApi, type LinkFields, upload } from './sharing-api.ts';

type BatchFields = {
  readonly name: string;
  readonly recipient: string;
  readonly allow_list: string[];
  readonly password_required: boolean;
};

type Batch = {
  readonly links: (LinkFields & BatchFields)[];
  readonly code?: string;
  readonly errors?: { field: string; detail: string }[];
};

export function linkBatches(suite: Suite) {
  let addresses = 0;
  return {
    newAddress: () => `person${++addresses}@example.com`,
    newDocument: () => upload(suite.testApp, Buffer.from('The terms.'), 'Terms.txt'),
    create: (requests: unknown, more = {}) =>
      callSharingApi<Batch>(suite.testApp, 'POST', '/links:batchCreate', { requests, ...more }),
    async linksOf(documentId: string) {
      const path = `/links?document_id=${documentId}&page_size=200`;
      return (await callSharingApi<Batch>(suite.testApp, 'GET', path)).body.links;
    },
    /** The mails with links, without those with codes. */
    async mailsTo(address: string) {
      const mails = await mailsOf(suite.testApp);
      return mails.filter(({ to, text }) => to === address && !/code is/.test(text));
    },
  };
}
