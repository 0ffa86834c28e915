import { useEffect } from 'react';
import type { Link } from '../../../../gen/latchkey/sharing/v1/link_pb.js';
import { useEditLink } from '../use-edit-link.tsx';

type EditSharedLinkProps = {
  readonly link: Link;
  readonly onChanged: (link: Link) => void;
};

/** The options of a link in a dialog, which opens once. */
export function EditSharedLink({ link, onChanged }: EditSharedLinkProps) {
  const { edit, dialog } = useEditLink(onChanged);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the dialog opens once
  useEffect(() => edit(link), []);
  return dialog;
}
