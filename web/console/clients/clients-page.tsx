import { Page } from '../parts/page.tsx';

export function ClientsPage() {
  return <Page title="Clients">…</Page>;
}
