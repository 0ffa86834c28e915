// The check of the certificate, its key and the CAs of client certificates.
import type { Config } from '../base/config/config.ts';
import { tlsPathsOf } from '../boot/sockets.ts';
import { checkTlsFiles, soonMs } from '../transports/tls/tls.ts';
import { type Finding, ok, problem, warning } from './finding.ts';

export async function checkTls(config: Config, now: number): Promise<Finding[]> {
  const paths = tlsPathsOf(config);
  if (paths === undefined) {
    return [ok('tls', 'the listeners do not use TLS, because LATCHKEY_TLS_CERT is not set')];
  }
  // An error of this call says what is wrong with which setting.
  const { validFrom, validTo } = await checkTlsFiles(paths);
  const { tlsCert, httpClientCa, grpcClientCa } = paths;
  const end = new Date(validTo).toISOString();
  if (Date.parse(validTo) <= now) {
    return [problem('tls', `the certificate in ${tlsCert} expired at ${end}; renew it`)];
  }
  if (Date.parse(validFrom) > now) {
    const start = new Date(validFrom).toISOString();
    const message = `the certificate in ${tlsCert} is valid only from ${start}; check the clock`;
    return [problem('tls', message)];
  }
  if (Date.parse(validTo) - now < soonMs) {
    return [warning('tls', `the certificate in ${tlsCert} expires at ${end}; renew it`)];
  }
  const files = new Set([httpClientCa, grpcClientCa].filter((file) => file !== undefined));
  const authorities = [...files].map((file) => `; ${file} has CA certificates`).join('');
  return [ok('tls', `the certificate in ${tlsCert} is valid until ${end}${authorities}`)];
}
