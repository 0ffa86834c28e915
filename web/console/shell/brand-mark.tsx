import { Group, Text } from '@mantine/core';
import mark from '../../viewer/mark.svg';

/** The mark and the name of the product. */
export function BrandMark() {
  return (
    <Group gap={8} wrap="nowrap" component="span">
      <img src={mark} alt="" width={22} height={22} />
      <Text component="span" fw={600} size="lg" lh={1}>
        Latchkey
      </Text>
    </Group>
  );
}
