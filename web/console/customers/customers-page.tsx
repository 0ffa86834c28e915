import { Page } from '../parts/page.tsx';

export function CustomersPage() {
  return <Page title="Customers">…</Page>;
}
