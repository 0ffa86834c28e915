import { Page } from '../parts/page.tsx';

export function AccountsPage() {
  return <Page title="Accounts">…</Page>;
}
