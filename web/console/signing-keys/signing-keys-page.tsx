import { Page } from '../parts/page.tsx';

export function SigningKeysPage() {
  return <Page title="Signing Keys">…</Page>;
}
