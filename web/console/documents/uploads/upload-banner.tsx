import { Anchor, Text } from '@mantine/core';
import { Link, useLocation } from '@tanstack/react-router';
import classes from './uploads.module.css';
import { isInProgress, type UploadPlace } from './uploads.ts';
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

const pathOf = ({ workspaceId, documentId }: UploadPlace) =>
  `/workspaces/${workspaceId}/documents${documentId === undefined ? '' : `/${documentId}`}`;

const filesText = (count: number) => (count === 1 ? '1 file' : `${count} files`);
