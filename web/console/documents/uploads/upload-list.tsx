import { Button, Group, Paper, Progress, Stack, Text } from '@mantine/core';
import { formatSize } from '../../../../src/base/http/format-size.ts';
import { ShareButton } from '../../links/share/share-button.tsx';
import { reasonOf } from '../../session/error-details.ts';
import { ErrorAlert } from '../../shared/error-alert.tsx';
import { TextLink } from '../../shared/router-links.tsx';
import { contentTypeText } from '../document-labels.ts';
import type { StoredFile } from './send-file.ts';
import { isSamePlace, type UploadPlace } from './upload-place.ts';
import classes from './uploads.module.css';
import { type FileUpload, isInProgress } from './uploads.ts';
import { useAllUploads, useUploads } from './uploads-context.tsx';

/** The uploads of a workspace, or of new versions of a document. */
export function UploadList(target: UploadPlace) {
  const uploads = useUploads();
  const all = useAllUploads().filter((upload) => isSamePlace(upload, target));
  if (all.length === 0) return null;
  const hasStored = all.some(({ state }) => state.status === 'stored');
  return (
    <Stack component="section" aria-label="Uploads" gap="xs">
      <Group justify="space-between">
        <Text fw={600} role="status">
          {summaryOf(all)}
        </Text>
        {hasStored ? (
          <Button variant="default" size="compact-sm" onClick={() => uploads.forgetStored(target)}>
            Clear finished uploads
          </Button>
        ) : null}
      </Group>
      <Paper component="ul" withBorder className={classes.list}>
        {all.map((upload) => (
          <li key={upload.key} className={classes.row}>
            <Row upload={upload} />
          </li>
        ))}
      </Paper>
    </Stack>
  );
}

/** Counts only finished uploads: screen readers announce each change of this text. */
function summaryOf(all: readonly FileUpload[]): string {
  const stored = all.filter(({ state }) => state.status === 'stored').length;
  const failed = all.filter(({ state }) => state.status === 'failed').length;
  const files = all.length === 1 ? '1 file' : `${all.length} files`;
  const rest = failed === 0 ? '' : `, ${failed} failed`;
  return `${stored} of ${files} uploaded${rest}`;
}

function Row({ upload }: { readonly upload: FileUpload }) {
  const { key, workspaceId, documentId, file, state } = upload;
  const isVersion = documentId !== undefined;
  const uploads = useUploads();
  const remove = () => uploads.remove(key);
  return (
    <Stack gap={6}>
      <Group justify="space-between" wrap="nowrap">
        <div className={classes.what}>
          <Text size="sm">
            {state.status === 'stored' && !isVersion ? (
              <TextLink
                to="/workspaces/$workspaceId/documents/$documentId"
                params={{ workspaceId, documentId: state.documentId }}
              >
                {file.name}
              </TextLink>
            ) : (
              file.name
            )}
          </Text>
          <Text size="xs" c="dimmed">
            {formatSize(file.size)} · {textOf(upload)}
          </Text>
        </div>
        {state.status === 'stored' ? (
          isVersion ? null : (
            <ShareButton
              target={{ workspaceId, id: state.documentId, name: file.name }}
              isOneOfMany
              size="compact-sm"
              flex="none"
            />
          )
        ) : (
          <Button
            variant="default"
            size="compact-sm"
            flex="none"
            onClick={remove}
            aria-label={`${isInProgress(upload) ? 'Cancel' : 'Remove'} ${file.name}`}
          >
            {isInProgress(upload) ? 'Cancel' : 'Remove'}
          </Button>
        )}
      </Group>
      {state.status === 'sending' ? (
        <Progress value={state.share * 100} aria-label={`Upload of ${file.name}`} />
      ) : null}
      {state.status === 'failed' ? (
        <ErrorAlert error={state.error} {...retryProps(state.error, () => uploads.retry(key))} />
      ) : null}
    </Stack>
  );
}

function textOf({ state, documentId, before }: FileUpload): string {
  switch (state.status) {
    case 'waiting':
      return 'Waiting';
    case 'sending':
      return state.share < 1 ? `${Math.floor(state.share * 100)}%` : 'Processing';
    case 'stored':
      return documentId === undefined
        ? 'Uploaded'
        : `New version, same links${changeText(before, state)}`;
    case 'failed':
      return 'Upload failed';
  }
}

function changeText(before: FileUpload['before'], after: StoredFile): string {
  if (before?.sha256 === after.sha256) return '. The file is identical to the previous version.';
  const { contentType } = after;
  const [old, current] = [before?.contentType ?? contentType, contentType].map(contentTypeText);
  return old === current ? '' : `. The type changed from ${old} to ${current}.`;
}

/** Errors that a retry with the same file cannot fix. */
const finalReasons: ReadonlySet<string | undefined> = new Set([
  'invalid_argument',
  'payload_too_large',
  'unsupported_media_type',
]);

function retryProps(error: unknown, retry: () => void): { retry: () => void } | object {
  return finalReasons.has(reasonOf(error)) ? {} : { retry };
}
