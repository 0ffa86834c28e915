import { Stack } from '@mantine/core';
import { Page } from '../parts/page.tsx';
import { Appearance } from './appearance.tsx';
import { Password } from './password.tsx';
import { Profile } from './profile.tsx';
import { SecondFactor } from './second-factor.tsx';
import { Sessions } from './sessions.tsx';

export function AccountPage() {
  return (
    <Page title="Your account" about="Who you are here, and how you sign in.">
      <Stack gap="md">
        <Profile />
        <Password />
        <SecondFactor />
        <Sessions />
        <Appearance />
      </Stack>
    </Page>
  );
}
