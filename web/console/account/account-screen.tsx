import { Stack } from '@mantine/core';
import { Screen } from '../shared/screen.tsx';
import { AppearanceCard } from './appearance-card.tsx';
import { DataCard } from './data-card.tsx';
import { OwnUser } from './own-user.tsx';
import { PasskeysCard } from './passkeys-card.tsx';
import { PasswordCard } from './password-card.tsx';
import { ProfileCard } from './profile-card.tsx';
import { SecondFactorCard } from './second-factor-card.tsx';
import { SessionsCard } from './sessions-card.tsx';

export function AccountScreen() {
  return (
    <Screen title="Your account" about="Your profile and how you sign in.">
      <Stack gap="md">
        <ProfileCard />
        <OwnUser>
          {(user) => (
            <>
              <PasswordCard user={user} />
              <SecondFactorCard user={user} />
            </>
          )}
        </OwnUser>
        <PasskeysCard />
        <SessionsCard />
        <AppearanceCard />
        <DataCard />
      </Stack>
    </Screen>
  );
}
