import { Anchor, Text } from '@mantine/core';
import { Link, useLocation } from '@tanstack/react-router';
import type { UploadPlace } from './upload-place.ts';
import classes from './uploads.module.css';
import { isInProgress } from './uploads.ts';
import { useAllUploads } from './uploads-context.tsx';

/** Running and failed uploads of other screens. */
export function UploadBanner() {
  const { pathname } = useLocation();
  const elsewhere = useAllUploads().filter((upload) => pathname !== pathOf(upload));
  const underWay = elsewhere.filter(isInProgress);
  const failed = elsewhere.filter(({ state }) => state.status === 'failed');
  const [first] = [...failed, ...underWay];
  if (first === undefined) return null;
  const parts = [
    ...(underWay.length === 0 ? [] : [`Uploading ${filesText(underWay.length)}`]),
    ...(failed.length === 0 ? [] : [`${filesText(failed.length)} failed to upload`]),
  ];
  return (
    <Text size="sm" className={classes.elsewhere} role="status">
      {parts.join(', ')}.{' '}
      <Anchor component={Link} to={pathOf(first)} inherit>
        Show uploads
      </Anchor>
    </Text>
  );
}

function pathOf({ workspaceId, folderId, documentId }: UploadPlace): string {
  const within = folderId === undefined ? documentId : `folders/${folderId}`;
  return ['/workspaces', workspaceId, 'documents', within].filter(Boolean).join('/');
}

const filesText = (count: number) => (count === 1 ? '1 file' : `${count} files`);
