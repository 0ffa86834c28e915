// The setting LATCHKEY_BLOB_URL: a folder, or a part of a bucket in an S3 store.
import type { ValueType } from './values.ts';

export type S3Location = {
  readonly kind: 's3';
  readonly bucket: string;
  /** The start of every key: empty, or a path that ends with `/`. */
  readonly prefix: string;
  /** Undefined if the AWS SDK finds it in its environment. */
  readonly region: string | undefined;
  /** The origin of the store; undefined for Amazon S3. */
  readonly endpoint: string | undefined;
  readonly pathStyle: boolean;
};

export type BlobLocation = { readonly kind: 'folder'; readonly path: string } | S3Location;

const s3Form = /^s3:\/\/([^/?#]*)(?:\/([^?#]*))?(?:\?([^#]*))?$/;
const bucketForm = /^[A-Za-z0-9][A-Za-z0-9._-]{1,61}[A-Za-z0-9]$/;
const prefixForm = /^[A-Za-z0-9!_.*'()-]+(\/[A-Za-z0-9!_.*'()-]+)*$/;
const prefixLengthMax = 512;

export const blobUrl: ValueType<BlobLocation> = {
  expected: '`file:<folder>` or `s3://<bucket>/<prefix>?region=…&endpoint=…&path_style=true`',
  read(text) {
    const path = /^file:(.+)$/s.exec(text)?.[1];
    if (path !== undefined) return { kind: 'folder', path };
    const [whole, bucket = '', prefix = '', query = ''] = s3Form.exec(text) ?? [];
    if (whole === undefined) return undefined;
    if (bucket.includes('@')) {
      throw new Error('must not contain credentials; the AWS SDK finds them in its environment');
    }
    if (!bucketForm.test(bucket)) throw new Error('has an invalid bucket name');
    return { kind: 's3', bucket, prefix: readPrefix(prefix), ...readParameters(query) };
  },
};

function readPrefix(text: string): string {
  const path = text.replace(/\/$/, '');
  if (path === '') return '';
  const hasDots = path.split('/').some((part) => part === '.' || part === '..');
  if (!prefixForm.test(path) || hasDots || path.length > prefixLengthMax) {
    throw new Error(
      "has an invalid prefix; permitted are names of letters, digits and !-_.*'(), with / between",
    );
  }
  return `${path}/`;
}

const readers = {
  region: (value: string) => (/^[A-Za-z0-9-]{1,64}$/.test(value) ? value : undefined),
  endpoint(value: string) {
    const url = URL.canParse(value) ? new URL(value) : undefined;
    const isOrigin =
      url !== undefined &&
      /^https?:$/.test(url.protocol) &&
      value.replace(/\/$/, '') === url.origin;
    return isOrigin ? url.origin : undefined;
  },
  path_style: (value: string) => (value === 'true' || value === 'false' ? value : undefined),
};

const expectations = {
  region: 'the name of a region',
  endpoint: 'an origin, such as https://s3.example.com',
  path_style: 'true or false',
};

function readParameters(query: string): Pick<S3Location, 'region' | 'endpoint' | 'pathStyle'> {
  const values: { [K in keyof typeof readers]?: string } = {};
  for (const [name, value] of new URLSearchParams(query)) {
    if (!isParameter(name)) {
      throw new Error('has an unknown parameter; known are region, endpoint and path_style');
    }
    if (values[name] !== undefined) throw new Error(`has the parameter ${name} twice`);
    const read = readers[name](value);
    if (read === undefined) throw new Error(`${name} must be ${expectations[name]}`);
    values[name] = read;
  }
  const { region, endpoint, path_style } = values;
  // Few other stores have a host name for each bucket.
  const pathStyle = path_style === undefined ? endpoint !== undefined : path_style === 'true';
  return { region, endpoint, pathStyle };
}

const isParameter = (name: string): name is keyof typeof readers => Object.hasOwn(readers, name);

export function describeBlobLocation(location: BlobLocation): string {
  if (location.kind === 'folder') return location.path;
  const { bucket, prefix, endpoint } = location;
  return `s3://${bucket}/${prefix}${endpoint === undefined ? '' : ` at ${endpoint}`}`;
}
