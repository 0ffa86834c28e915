import { Button } from '@mantine/core';
import { type ChangeEvent, useRef } from 'react';
import { useUploads } from './uploads-context.tsx';

export function UploadButton({ workspaceId }: { readonly workspaceId: string }) {
  const uploads = useUploads();
  const input = useRef<HTMLInputElement>(null);
  const upload = ({ currentTarget }: ChangeEvent<HTMLInputElement>) => {
    uploads.add(workspaceId, [...(currentTarget.files ?? [])]);
    // Otherwise, choosing the same file again would not fire an event.
    currentTarget.value = '';
  };
  return (
    <>
      <input ref={input} type="file" multiple hidden onChange={upload} />
      <Button onClick={() => input.current?.click()}>Upload files</Button>
    </>
  );
}
