/** The host name of a Host header without its port, in lower case. It may be empty. */
export function hostNameOf(host: string): string {
  return host.replace(/:\d*$/, '').replace(/\.$/, '').toLowerCase();
}
