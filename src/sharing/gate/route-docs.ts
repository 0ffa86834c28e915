// The descriptions of the routes of a shared link in the OpenAPI document.
import type { RouteAnswer, RouteDoc } from '../../api/routes/route-doc.ts';
import { versionHeaderDoc } from '../../base/http/shown-version.ts';

const path = { slug: 'The secret part of the address of the link.' };
const html = ['text/html'];
const setCookie = {
  'Set-Cookie': 'The cookies of the gate, with the path of the link, or `/s` to remember a reader.',
};

/** The form again, with the state of the gate. */
const form = { types: html, headers: setCookie };

const unusable: Readonly<Record<number, RouteAnswer>> = {
  404: { description: 'The link does not exist. The HTML says so.', types: html },
  410: {
    description: 'The link has expired, was revoked, or has no views left. The HTML says so.',
    types: html,
  },
};

const listingQuery = {
  page_token: {
    description: 'The page token in the link to the next page.',
    lengthMax: 1_500,
  },
  query: {
    description: 'Lists the entries of a room whose names contain this text, in any letter case.',
    lengthMax: 100,
  },
};

const tooManySearches: RouteAnswer = {
  description: 'The network runs too many searches at once. The HTML says so.',
  types: html,
  headers: { 'Retry-After': 'The seconds after which a search can succeed.' },
};

export const showLinkDoc: RouteDoc = {
  id: 'openLink',
  tag: 'Shared links',
  summary: 'Open a link',
  description:
    'The page of a shared link: the form of its gate, or the viewer if the reader has passed the ' +
    'gate or the link has none. For a link to a folder, the listing of the folder. This is the ' +
    '`url` of a link.',
  path,
  query: listingQuery,
  needsAccess: true,
  responses: {
    200: { description: 'The HTML of the gate or of the viewer.', types: html, headers: setCookie },
    429: tooManySearches,
    ...unusable,
  },
  errors: ['invalid_argument'],
};

function roomPageDoc(kind: 'folder' | 'document'): RouteDoc {
  const { 429: _, ...responses } = showLinkDoc.responses;
  return {
    ...showLinkDoc,
    id: kind === 'folder' ? 'openRoomFolder' : 'openRoomDocument',
    summary: `Open a ${kind} of a room`,
    description: `The page of a ${kind} of a link to a folder, or the form of the gate.`,
    path: { ...path, [`${kind}_id`]: `The id of the ${kind}.` },
    ...(kind === 'folder' ? { query: listingQuery } : {}),
    responses: {
      ...(kind === 'folder' ? showLinkDoc.responses : responses),
      404: {
        description: `The link does not exist or does not show the ${kind}. The HTML says so.`,
        types: html,
      },
    },
  };
}

export const roomFolderDoc = roomPageDoc('folder');
export const roomDocumentDoc = roomPageDoc('document');

export const submitInRoomDoc = (kind: 'folder' | 'document'): RouteDoc => ({
  ...submitGateDoc,
  id: kind === 'folder' ? 'submitGateAtFolder' : 'submitGateAtDocument',
  summary: `${submitGateDoc.summary} at a ${kind} of a room`,
  path: { ...path, [`${kind}_id`]: `The id of the ${kind}.` },
});

export const submitGateDoc: RouteDoc = {
  id: 'submitGate',
  tag: 'Shared links',
  summary: 'Submit the form of a gate',
  description:
    'Checks what the reader entered, and shows the next step of the gate or opens the link. ' +
    'Browsers must send the form from the page of the link.',
  path,
  form: {
    password: { description: 'The password of the link.', lengthMax: 1024 },
    email: { description: "The reader's email address.", lengthMax: 254 },
    remember: {
      description:
        '`yes`: once the address is verified, other links of the workspace ask for no code in ' +
        'this browser for 30 days.',
      lengthMax: 3,
    },
    forget: { description: '`yes`: this browser forgets the reader.', lengthMax: 3 },
    code: {
      description:
        'The 6 digits of the mailed code; `again` for a new code, `other` to start over.',
      lengthMax: 16,
    },
    agreement: {
      description: 'The SHA-256 digest of the agreement that the page shows, to accept it.',
      lengthMax: 64,
    },
  },
  responses: {
    200: { description: 'The next step: a new code was sent.', types: html, headers: setCookie },
    303: {
      description: 'The step succeeded. The page of the link shows the next one, or the document.',
      headers: { ...setCookie, Location: 'The path of the link.' },
    },
    400: { ...form, description: 'A value is missing. The HTML shows the form again.' },
    403: { ...form, description: 'A value is wrong or refused. The HTML shows the form.' },
    429: { ...form, description: 'Too many attempts. The HTML shows the form again.' },
    503: { ...form, description: 'The service cannot send the code. The HTML says so.' },
    ...unusable,
  },
  errors: [
    ...(['invalid_argument', 'forbidden', 'payload_too_large'] as const),
    ...(['unsupported_media_type', 'canceled'] as const),
  ],
};

const bytes = ['*/*'];
const fileHeaders = {
  ...versionHeaderDoc,
  ETag: 'The entity tag of the file. Absent from a file with a watermark.',
  'Accept-Ranges': '`bytes`, or `none` for a file with a watermark.',
  'Content-Disposition': 'The name of the file, and whether the browser shows it.',
};

const fileResponses: Readonly<Record<number, RouteAnswer>> = {
  200: { description: 'The whole file.', types: bytes, headers: fileHeaders },
  206: {
    description: 'The requested range.',
    types: bytes,
    headers: { ...fileHeaders, 'Content-Range': 'The bytes in the response, and the size.' },
  },
  304: {
    description: 'The copy of the caller is current.',
    headers: {
      ETag: fileHeaders.ETag,
      'Accept-Ranges': fileHeaders['Accept-Ranges'],
      ...versionHeaderDoc,
    },
  },
};

const fileErrors = [
  ...(['invalid_argument', 'unauthenticated', 'forbidden', 'not_found', 'gone'] as const),
  ...(['precondition_failed', 'range_not_satisfiable', 'rate_limited', 'conflict'] as const),
];

const fileDoc = {
  tag: 'Shared links',
  path,
  headers: ['Range', 'If-Range', 'If-None-Match', 'If-Match'],
  needsAccess: true,
  acceptsPrograms: true,
  responses: fileResponses,
  errors: fileErrors,
} as const;

const ignoredRanges =
  'Once the document has had a second version, `Range` is ignored without `If-Range` or an ' +
  'entity tag in `If-Match`: no client mixes the bytes of two versions. ';

export const linkFileDoc: RouteDoc = {
  ...fileDoc,
  id: 'getLinkFile',
  summary: 'Get the file for the viewer',
  description:
    'The bytes that the viewer shows: those of the document, or the PDF preview of an Office ' +
    'file. Types that the viewer cannot show, and previews that are not ready, are `forbidden`. ' +
    'With `watermark`, a PDF that is stamped for the reader and ignores conditions and ranges. ' +
    ignoredRanges +
    '`conflict` for a file that cannot be stamped, `unavailable` if too many files wait. With ' +
    '`program_access`, a program can send a token of a token exchange for a user instead.',
};

export const linkVersionFileDoc: RouteDoc = {
  ...fileDoc,
  id: 'getLinkVersionFile',
  path: { ...path, version: 'The number of the version.' },
  summary: 'Get the file of a version for the viewer',
  description:
    'Like `getLinkFile`, for the version that the page of the link shows. `precondition_failed` ' +
    'once the link shows another one, so that a page never mixes their bytes.',
};

export const linkDownloadDoc: RouteDoc = {
  ...fileDoc,
  id: 'downloadLinkFile',
  summary: 'Download the file',
  description:
    'The bytes of the document as an attachment. `forbidden` unless the link has ' +
    '`allow_download`. With `watermark`, the same PDF as `getLinkFile`. ' +
    ignoredRanges.trim(),
};
