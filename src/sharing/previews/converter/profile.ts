// The settings of LibreOffice: no macros, no links to other files or servers, no Java.

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

/** The content of `user/registrymodifications.xcu` in a profile folder. */
export const profileSettings = `<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry">
${items
  .map(
    ([path, name, value]) =>
      `<item oor:path="${path}"><prop oor:name="${name}" oor:op="fuse"><value>${value}</value></prop></item>`,
  )
  .join('\n')}
</oor:items>
`;
