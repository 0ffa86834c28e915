import { Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import { hasFiles } from './file-drag.ts';
import type { UploadPlace } from './upload-place.ts';
import classes from './uploads.module.css';
import { useUploads } from './uploads-context.tsx';

/** Uploads files that are dropped anywhere in the window. */
export function DropArea({ workspaceId, folderId, documentId, before }: UploadPlace) {
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
      // Null only when the pointer leaves the window.
      if (event.relatedTarget === null) setOver(false);
    };
    const drop = (event: DragEvent) => {
      setOver(false);
      if (!hasFiles(event) || isBeneathDialog()) return;
      event.preventDefault();
      const target = { workspaceId, folderId, documentId, before };
      const { files, folders } = splitFilesAndFolders(event.dataTransfer);
      if (documentId === undefined || files.length === 1) uploads.add(target, files);
      else for (const file of files) uploads.refuse(target, file, manyFilesText);
      for (const folder of folders) uploads.refuse(target, folder, folderText);
    };
    addEventListener('dragover', over);
    addEventListener('dragleave', leave);
    addEventListener('drop', drop);
    return () => {
      removeEventListener('dragover', over);
      removeEventListener('dragleave', leave);
      removeEventListener('drop', drop);
    };
  }, [uploads, workspaceId, folderId, documentId, before]);
  if (!isOver) return null;
  return (
    <div className={classes.drop}>
      <Text size="xl" fw={600}>
        {documentId === undefined
          ? 'Drop files to upload'
          : 'Drop a file to upload a new version. The links stay the same.'}
      </Text>
    </div>
  );
}

const folderText = 'This is a folder. Drop the files inside it instead.';

const manyFilesText = 'A new version is one file. Drop the files one by one.';

/** Drops are ignored while a dialog is open. */
const isBeneathDialog = () => document.querySelector('[role=dialog]') !== null;

function splitFilesAndFolders({ items }: DataTransfer) {
  const files: File[] = [];
  const folders: File[] = [];
  for (const item of items) {
    const file = item.getAsFile();
    if (file !== null) (item.webkitGetAsEntry()?.isDirectory ? folders : files).push(file);
  }
  return { files, folders };
}
