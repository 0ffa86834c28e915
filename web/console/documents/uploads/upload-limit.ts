/** Bytes that a file may have, as the service told when it sent the page. */
export function uploadBytesMax(): number {
  const meta = document.querySelector<HTMLMetaElement>('meta[name="upload-bytes-max"]');
  return Number(meta?.content ?? Number.POSITIVE_INFINITY);
}
