import { Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import { hasFiles } from './file-drag.ts';
import classes from './uploads.module.css';
import { useUploads } from './uploads-context.tsx';

/** Uploads what is dropped onto the page, wherever on it. */
export function DropArea({ workspaceId }: { readonly workspaceId: string }) {
  const uploads = useUploads();
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    const over = (event: DragEvent) => {
      if (!hasFiles(event) || isBeneathDialog()) return;
      event.preventDefault();
      event.dataTransfer.dropEffect = 'copy';
      setOver(true);
    };
    const leave = (event: DragEvent) => {
      // Within the page, something else is entered.
      if (event.relatedTarget === null) setOver(false);
    };
    const drop = (event: DragEvent) => {
      setOver(false);
      if (!hasFiles(event) || isBeneathDialog()) return;
      event.preventDefault();
      const { files, folders } = sorted(event.dataTransfer);
      uploads.add(workspaceId, files);
      for (const folder of folders) {
        uploads.refuse(workspaceId, folder, 'This is a folder. Please drop the files in it.');
      }
    };
    addEventListener('dragover', over);
    addEventListener('dragleave', leave);
    addEventListener('drop', drop);
    return () => {
      removeEventListener('dragover', over);
      removeEventListener('dragleave', leave);
      removeEventListener('drop', drop);
    };
  }, [uploads, workspaceId]);
  if (!isOver) return null;
  return (
    <div className={classes.drop}>
      <Text size="xl" fw={600}>
        Drop the files to upload them
      </Text>
    </div>
  );
}

/** What stands behind a dialog takes nothing. */
const isBeneathDialog = () => document.querySelector('[role=dialog]') !== null;

function sorted({ items }: DataTransfer) {
  const files: File[] = [];
  const folders: File[] = [];
  for (const item of items) {
    const file = item.getAsFile();
    if (file !== null) (item.webkitGetAsEntry()?.isDirectory ? folders : files).push(file);
  }
  return { files, folders };
}
