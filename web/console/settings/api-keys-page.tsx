import { Page } from '../parts/page.tsx';

export function ApiKeysPage() {
  return <Page title="Api Keys">…</Page>;
}
