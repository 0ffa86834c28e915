import { Page } from '../parts/page.tsx';

export function ClientPage() {
  return <Page title="Client">…</Page>;
}
