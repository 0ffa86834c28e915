import { Button } from '@mantine/core';
import { type ChangeEvent, useRef } from 'react';
import type { UploadPlace } from './upload-place.ts';
import { useUploads } from './uploads-context.tsx';

/** Uploads documents, or one new version of a document. */
export function UploadButton(target: UploadPlace) {
  const uploads = useUploads();
  const isVersion = target.documentId !== undefined;
  // The pages of a document and of a folder are about sharing it.
  const isQuiet = isVersion || target.folderId !== undefined;
  const input = useRef<HTMLInputElement>(null);
  const upload = ({ currentTarget }: ChangeEvent<HTMLInputElement>) => {
    uploads.add(target, [...(currentTarget.files ?? [])]);
    // Otherwise, choosing the same file again would not fire an event.
    currentTarget.value = '';
  };
  return (
    <>
      <input ref={input} type="file" multiple={!isVersion} hidden onChange={upload} />
      <Button {...(isQuiet ? { variant: 'default' } : {})} onClick={() => input.current?.click()}>
        {isVersion ? 'Upload new version' : 'Upload files'}
      </Button>
    </>
  );
}
