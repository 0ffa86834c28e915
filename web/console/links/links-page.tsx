import { Page } from '../parts/page.tsx';

export function LinksPage() {
  return <Page title="Links">…</Page>;
}
