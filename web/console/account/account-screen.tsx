import { Group, Radio, Stack, useMantineColorScheme } from '@mantine/core';
import { Screen } from '../shared/screen.tsx';
import { AccountCard } from './account-card.tsx';
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

const schemes = [
  { value: 'auto', label: 'System' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
] as const;

function AppearanceCard() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const choose = (value: string) => {
    const scheme = schemes.find((option) => option.value === value);
    if (scheme !== undefined) setColorScheme(scheme.value);
  };
  return (
    <AccountCard title="Appearance" about="Saved in this browser only.">
      <Radio.Group aria-label="Appearance" value={colorScheme} onChange={choose}>
        <Group gap="lg">
          {schemes.map(({ value, label }) => (
            <Radio key={value} value={value} label={label} />
          ))}
        </Group>
      </Radio.Group>
    </AccountCard>
  );
}
