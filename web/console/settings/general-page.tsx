import { Page } from '../parts/page.tsx';

export function GeneralPage() {
  return <Page title="General">…</Page>;
}
