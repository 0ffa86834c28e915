import { Group, Radio, useMantineColorScheme } from '@mantine/core';
import { AccountCard } from './account-card.tsx';

const schemes = [
  { value: 'auto', label: 'System' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
] as const;

export function AppearanceCard() {
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
