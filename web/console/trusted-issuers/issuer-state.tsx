import { Badge } from '@mantine/core';
import type { TrustedIssuer } from '../../../gen/latchkey/identity/v1/trusted_issuer_pb.js';

/** Whether the tokens of an issuer are accepted, and why not. */
export function IssuerState({ issuer }: { readonly issuer: TrustedIssuer }) {
  const [text, color] = stateOf(issuer);
  return (
    <Badge variant="light" color={color}>
      {text}
    </Badge>
  );
}

function stateOf(issuer: TrustedIssuer): readonly [text: string, color: string] {
  const { enabled, keyIds, refreshTime, refreshError, jwks } = issuer;
  if (!enabled) return ['Disabled', 'red'];
  if (refreshError !== '') return ['Keys can’t be read', 'orange'];
  const isRead = jwks !== undefined || refreshTime !== undefined;
  if (!isRead) return ['Reading keys', 'gray'];
  return keyIds.length === 0 && jwks === undefined ? ['No keys', 'orange'] : ['Enabled', 'teal'];
}
