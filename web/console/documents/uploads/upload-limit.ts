/** The size limit in bytes, which the service writes into the HTML. */
export function uploadBytesMax(): number {
  const meta = document.querySelector<HTMLMetaElement>('meta[name="upload-bytes-max"]');
  return Number(meta?.content ?? Number.POSITIVE_INFINITY);
}
