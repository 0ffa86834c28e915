/** The frame of a screen: heading, actions and content. */
import { Group, Stack, Text, Title } from '@mantine/core';
import { IconChevronRight } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { TextLink } from './router-links.tsx';
import classes from './screen.module.css';
import { type KnownScreen, useThisScreen } from './screens.ts';
import { useScreenHeading } from './use-screen-heading.ts';

export type ScreenProps = {
  /** By default the label of the screen's entry. */
  readonly title?: string | undefined;
  /** Links between the list of the screen and the title in the breadcrumb. */
  readonly crumbs?: readonly ReactNode[];
  /** The purpose of the screen in one or two sentences. */
  readonly about?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
};

export function Screen({ title: ownTitle, crumbs = [], about, actions, children }: ScreenProps) {
  const { entry, parent } = useThisScreen();
  const title = ownTitle ?? entry?.label ?? '';
  const heading = useScreenHeading(title);
  return (
    <Stack gap="lg">
      <div>
        {parent === undefined ? null : <Breadcrumb {...{ parent, crumbs, title }} />}
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

type BreadcrumbProps = Pick<Required<ScreenProps>, 'crumbs'> & {
  readonly parent: KnownScreen;
  readonly title: string;
};

function Breadcrumb({ parent, crumbs, title }: BreadcrumbProps) {
  const parts = [...crumbs, <span key="title">{title}</span>];
  return (
    <nav aria-label="Breadcrumb" className={classes.breadcrumb}>
      <ol>
        <li>
          <TextLink to={parent.path}>{parent.label}</TextLink>
        </li>
        {parts.map((part, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a crumb is its place in the path
          <li key={index} {...(index === crumbs.length ? { 'aria-current': 'page' } : {})}>
            <IconChevronRight size={14} aria-hidden />
            {part}
          </li>
        ))}
      </ol>
    </nav>
  );
}
