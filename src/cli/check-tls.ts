// The check of the certificate, its key and the CA of client certificates.
import type { Config } from '../base/config/config.ts';
import { checkTlsFiles, soonMs } from '../transports/tls/tls.ts';
import { type Finding, ok, problem, warning } from './finding.ts';

export async function checkTls(config: Config, now: number): Promise<Finding[]> {
  const { tlsCert, tlsKey, grpcClientCa } = config;
  if (tlsCert === undefined || tlsKey === undefined) {
    return [ok('tls', 'the listeners do not use TLS, because LATCHKEY_TLS_CERT is not set')];
  }
  // An error of this call says what is wrong with which setting.
  const { validFrom, validTo } = await checkTlsFiles({ tlsCert, tlsKey, grpcClientCa });
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
  const authorities = grpcClientCa === undefined ? '' : `; ${grpcClientCa} has CA certificates`;
  return [ok('tls', `the certificate in ${tlsCert} is valid until ${end}${authorities}`)];
}
