/** Links that are typed by the routes of the console. */
import { Anchor, type AnchorProps, Button, type ButtonProps } from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import type { Ref } from 'react';

type WithRef = { readonly ref?: Ref<HTMLAnchorElement>; readonly title?: string };

export const TextLink = createLink(({ ref, ...props }: Omit<AnchorProps, 'href'> & WithRef) => (
  <Anchor inherit ref={ref ?? null} {...props} />
));

export const ButtonLink = createLink(({ ref, ...props }: Omit<ButtonProps, 'href'> & WithRef) => (
  <Button component="a" ref={ref ?? null} {...props} />
));
