import { Page } from '../parts/page.tsx';

export function DocumentsPage() {
  return <Page title="Documents">…</Page>;
}
