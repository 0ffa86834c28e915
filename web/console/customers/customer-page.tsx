import { Page } from '../parts/page.tsx';

export function CustomerPage() {
  return <Page title="Customer">…</Page>;
}
