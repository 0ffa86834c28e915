import { lazy } from 'react';
import type { Link } from '../../../gen/latchkey/sharing/v1/link_pb.js';
import { useDialogs } from '../shared/dialogs.tsx';

/** Most links keep their options, so the dialog loads when it is opened. */
const EditLinkDialog = lazy(() => import('./edit-link-dialog.tsx'));

/** Opens the options of a link. */
export function useEditLink(): (link: Link) => void {
  const { open } = useDialogs();
  return (link) => open(<EditLinkDialog link={link} />);
}
