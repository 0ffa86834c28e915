import { timestampDate } from '@bufbuild/protobuf/wkt';
import { Alert } from '@mantine/core';
import { useUser } from '../session/session-context.tsx';
import { formatDateTime } from '../shared/date-time.tsx';
import { TextLink } from '../shared/router-links.tsx';

/** Reminds the user of a required second factor until the grace period ends. */
export function SecondFactorReminder() {
  const { secondFactorDueTime } = useUser();
  if (secondFactorDueTime === undefined) return null;
  const end = formatDateTime(timestampDate(secondFactorDueTime));
  return (
    <Alert color="orange" role="status" mb="lg" title={`Add a second factor by ${end}`}>
      Your administrators require a second factor. If you have one, sign in with it. If not, add one
      in{' '}
      <TextLink to="/account" td="underline">
        Your account
      </TextLink>
      .
    </Alert>
  );
}
