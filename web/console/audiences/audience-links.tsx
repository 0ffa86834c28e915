import { useQuery } from '@connectrpc/connect-query';
import { Group } from '@mantine/core';
import { AudienceService } from '../../../gen/latchkey/identity/v1/audience_pb.js';
import { useHasScope } from '../session/session-context.tsx';
import { ShortText } from '../shared/copyable-text.tsx';
import { TextLink } from '../shared/router-links.tsx';

/** The audiences of a client or customer. */
export function AudienceLinks({ ids }: { readonly ids: readonly string[] }) {
  if (ids.length === 0) return 'Only this service';
  return (
    <Group component="ul" gap="4px 16px" m={0} p={0} style={{ listStyle: 'none' }}>
      {ids.map((id) => (
        <li key={id}>
          <AudienceLink id={id} />
        </li>
      ))}
    </Group>
  );
}

/** An audience has no page, so that the link leads to its row in the list. */
function AudienceLink({ id }: { readonly id: string }) {
  const mayList = useHasScope()('audiences:read');
  const name = <AudienceName id={id} />;
  if (!mayList) return name;
  return (
    <TextLink to="/audiences" search={{ q: id }} title={id}>
      {name}
    </TextLink>
  );
}

/** The ID, until the name is known. */
export function AudienceName({ id }: { readonly id: string }) {
  const enabled = useHasScope()('audiences:read');
  const { data } = useQuery(AudienceService.method.getAudience, { audienceId: id }, { enabled });
  const name = data?.audience?.name;
  return name === undefined ? <ShortText text={id} /> : <bdi>{name}</bdi>;
}
