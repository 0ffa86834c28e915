import { TargetLinks } from '../../links/target-links.tsx';
import { useShownDocument } from '../shown-document.ts';

export function LinksTab() {
  return <TargetLinks target={useShownDocument()} />;
}
