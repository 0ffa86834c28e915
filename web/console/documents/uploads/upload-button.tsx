import { Button } from '@mantine/core';
import { type ChangeEvent, useRef } from 'react';
import { useUploads } from './uploads-context.tsx';

/** Asks for files, and uploads them. */
export function UploadButton({ workspaceId }: { readonly workspaceId: string }) {
  const uploads = useUploads();
  const input = useRef<HTMLInputElement>(null);
  const take = ({ currentTarget }: ChangeEvent<HTMLInputElement>) => {
    uploads.add(workspaceId, [...(currentTarget.files ?? [])]);
    // The same file may be chosen again.
    currentTarget.value = '';
  };
  return (
    <>
      <input ref={input} type="file" multiple hidden onChange={take} />
      <Button onClick={() => input.current?.click()}>Upload files</Button>
    </>
  );
}
