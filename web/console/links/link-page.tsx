import { Page } from '../parts/page.tsx';

export function LinkPage() {
  return <Page title="Link">…</Page>;
}
