import { useHasScope } from '../session/session-context.tsx';
import { useList } from '../shared/lists/define-list.ts';
import { Section } from '../shared/section.tsx';
import { LinksTable, targetLinks } from './links-table.tsx';
import type { ShareTarget } from './share/share-target.ts';

/** The links to a document or a folder. */
export function TargetLinks({ target }: { readonly target: ShareTarget }) {
  const { workspaceId, id } = target;
  const mayRead = useHasScope()('links:read');
  const list = useList(targetLinks, { workspaceId, target: id }, { enabled: mayRead });
  if (!mayRead) return null;
  return (
    <Section title="Links">
      <LinksTable list={list} />
    </Section>
  );
}
