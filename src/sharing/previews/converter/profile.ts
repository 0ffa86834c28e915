// The settings of LibreOffice: no macros, no links to other files or servers, no Java.
import path from 'node:path';
import { pathToFileURL } from 'node:url';

type Item = readonly [path: string, name: string, value: string | number | boolean];

const office = '/org.openoffice.Office';
/** Nothing listens on this port. */
const closedPort = 9;
const never = 2;
const manual = 2;

const items: readonly Item[] = [
  [`${office}.Common/Security/Scripting`, 'MacroSecurityLevel', 3],
  [`${office}.Common/Security/Scripting`, 'DisableMacrosExecution', true],
  [`${office}.Common/Security/Scripting`, 'BlockUntrustedRefererLinks', true],
  [`${office}.Common/Security/Scripting`, 'DisableActiveContent', true],
  [`${office}.Writer/Content/Update`, 'Link', never],
  [`${office}.Calc/Content/Update`, 'Link', never],
  [`${office}.Java/VirtualMachine`, 'Enable', false],
  ['/org.openoffice.Inet/Settings', 'ooInetProxyType', manual],
  ['/org.openoffice.Inet/Settings', 'ooInetHTTPProxyName', '127.0.0.1'],
  ['/org.openoffice.Inet/Settings', 'ooInetHTTPProxyPort', closedPort],
  ['/org.openoffice.Inet/Settings', 'ooInetHTTPSProxyName', '127.0.0.1'],
  ['/org.openoffice.Inet/Settings', 'ooInetHTTPSProxyPort', closedPort],
  ['/org.openoffice.Inet/Settings', 'ooInetNoProxy', ''],
];

/** The folders of one conversion, as LibreOffice sees them. */
type OfficeFolders = {
  /** Has the document. Its name is random, so that no URL in a document can contain it. */
  readonly work: string;
  /** For all other files of LibreOffice. Documents can name it, because variables contain it. */
  readonly own: string;
};

/**
 * A path of at most 4,096 bytes (PATH_MAX) cannot leave a folder of this depth: `../` has more
 * characters than each level.
 */
const ownLevels = 840;

export const officeFoldersIn = (folder: string, work: string): OfficeFolders => ({
  work: path.join(folder, work),
  own: path.join(folder, ...Array<string>(ownLevels).fill('x')),
});

export const urlOf = (file: string) => pathToFileURL(file).href;

/** The variables with the folders of extensions, which LibreOffice requires at its start. */
const extensionVariables = [
  ...['UNO_USER_PACKAGES_CACHE', 'BUNDLED_EXTENSIONS_USER', 'SHARED_EXTENSIONS_USER'],
  ...['TMP_EXTENSIONS', 'BAK_EXTENSIONS', 'BUNDLED_EXTENSIONS', 'UNO_SHARED_PACKAGES_CACHE'],
];

export const extensionFolders = ({ own }: OfficeFolders): string[] =>
  extensionVariables.map((name) => path.join(own, name));

export const extensionArguments = ({ own }: OfficeFolders): string[] =>
  extensionVariables.map((name) => `-env:${name}=${urlOf(path.join(own, name))}`);

type Provider = readonly [name: string, service: string, urls: string];

/**
 * They replace those of the installation, so that a document opens only files in these folders.
 * Pictures of backgrounds, lists and areas obey no other setting. See docs/decisions/0044.
 */
function providersOf({ work, own }: OfficeFolders): readonly Provider[] {
  const filesIn = (folder: string) => `"${urlOf(folder)}/".*`;
  return [
    ['Work', 'FileContentProvider', filesIn(work)],
    ['Own', 'FileContentProvider', filesIn(own)],
    ['Hierarchy', 'HierarchyContentProvider', 'vnd.sun.star.hier'],
    ['Expand', 'ExpandContentProvider', 'vnd.sun.star.expand'],
    ['Embedded', 'TransientDocumentsContentProvider', 'vnd.sun.star.tdoc'],
  ];
}

/** SVG pictures open other files directly, and EPS pictures start other programs. */
const refusedPictures = ['svg_Import', 'eps_Import'];

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

const property = (name: string, value: string | number | boolean, operation = '') =>
  `<prop oor:name="${name}"${operation}><value>${escaped(String(value))}</value></prop>`;

const provider = ([name, service, urls]: Provider) =>
  `<node oor:name="${name}" oor:op="replace">${[
    property('ServiceName', `com.sun.star.ucb.${service}`),
    property('URLTemplate', urls),
    property('Arguments', ''),
  ].join('')}</node>`;

const providerKeys =
  '/org.openoffice.ucb.Configuration/ContentProviders/' +
  "org.openoffice.ucb.Configuration:ContentProvidersDataPrimaryKeys['Local']/SecondaryKeys";

const pictureFilters = '/org.openoffice.TypeDetection.GraphicFilter/Filters';

/** The content of `user/registrymodifications.xcu` in a profile folder. */
export function profileSettings(folders: OfficeFolders): string {
  const item = (at: string, content: string) => `<item oor:path="${at}">${content}</item>`;
  const providers = providersOf(folders).map(provider).join('');
  const lines = [
    ...items.map(([at, name, value]) => item(at, property(name, value, ' oor:op="fuse"'))),
    item(
      providerKeys,
      `<node oor:name="Office" oor:op="replace"><node oor:name="ProviderData">${providers}</node></node>`,
    ),
    ...refusedPictures.map((name) =>
      item(pictureFilters, `<node oor:name="${name}" oor:op="remove"/>`),
    ),
  ];
  return `<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry">
${lines.join('\n')}
</oor:items>
`;
}
