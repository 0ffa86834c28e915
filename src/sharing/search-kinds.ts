// The kinds of sharing resources that a search finds.

import { workspaceKeySearch } from '../credentials/store.ts';
import type { SearchKind } from '../search/search-kind.ts';
import { documentSearch } from './documents/store.ts';
import { domainSearch } from './domains/store.ts';
import { folderSearch } from './folders/store.ts';
import { linkSearch } from './links/store.ts';
import { visitorSearch } from './visitors/store.ts';
import { invitationSearch } from './workspaces/invitations/store.ts';
import { workspaceSearch } from './workspaces/store.ts';

export const sharingSearchKinds: readonly SearchKind[] = [
  { kind: 'workspace', ...workspaceSearch },
  { kind: 'document', ...documentSearch },
  { kind: 'folder', ...folderSearch },
  { kind: 'link', ...linkSearch },
  { kind: 'visitor', ...visitorSearch },
  { kind: 'invitation', ...invitationSearch },
  { kind: 'workspace_key', ...workspaceKeySearch },
  { kind: 'domain', ...domainSearch },
];
