/** The frame of a screen: heading, actions and content. */
import { Group, Stack, Text, Title } from '@mantine/core';
import { IconChevronRight } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import classes from './screen.module.css';
import { useScreenHeading } from './use-screen-heading.ts';

export type ScreenProps = {
  readonly title: string;
  /** The purpose of the screen in one or two sentences. */
  readonly about?: ReactNode;
  readonly actions?: ReactNode;
  /** A link to the parent screen. */
  readonly parent?: ReactNode;
  readonly children: ReactNode;
};

export function Screen({ title, about, actions, parent, children }: ScreenProps) {
  const heading = useScreenHeading(title);
  return (
    <Stack gap="lg">
      <div>
        {parent === undefined ? null : <Breadcrumb parent={parent} title={title} />}
        <Group justify="space-between" align="flex-start" gap="sm">
          <Title order={1} ref={heading} tabIndex={-1} maw="100%">
            {title}
          </Title>
          {actions === undefined ? null : <Group gap="xs">{actions}</Group>}
        </Group>
        {about === undefined ? null : (
          <Text c="dimmed" mt={8} maw="70ch">
            {about}
          </Text>
        )}
      </div>
      {children}
    </Stack>
  );
}

function Breadcrumb({ parent, title }: Pick<ScreenProps, 'parent' | 'title'>) {
  return (
    <nav aria-label="Breadcrumb" className={classes.breadcrumb}>
      <ol>
        <li>{parent}</li>
        <li aria-current="page">
          <IconChevronRight size={14} aria-hidden />
          <span>{title}</span>
        </li>
      </ol>
    </nav>
  );
}
