/** A screen with one list, and with a button that creates a row. */
import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { useHasScope } from '../../session/session-context.tsx';
import { Screen, type ScreenProps } from '../screen.tsx';
import { useThisScreen } from '../screens.ts';
import { useCreateRequest } from '../use-create-request.ts';
import { type Empty, isEmptyList, Listing, type ListingProps } from './listing.tsx';

export type ListScreenProps<Row> = Omit<ListingProps<Row>, 'empty'> &
  Pick<ScreenProps, 'about'> & {
    /** The dialog of the button, whose label and scope are in the registry. */
    readonly create?: ReactNode;
    readonly empty: Empty;
    /** The text of an empty list for users who cannot create a row. */
    readonly emptyText?: string;
  };

export function ListScreen<Row>(props: ListScreenProps<Row>) {
  const { about, create, empty, emptyText, ...listing } = props;
  const { entry } = useThisScreen();
  const hasScope = useHasScope();
  const open = useCreateRequest(create);
  const mayCreate = entry?.create !== undefined && hasScope(entry.create.scope);
  const button = mayCreate ? <Button onClick={open}>{entry.create?.label}</Button> : undefined;
  const text = mayCreate ? empty.text : (emptyText ?? empty.text);
  return (
    <Screen about={about} actions={isEmptyList(listing.list) ? undefined : button}>
      <Listing {...listing} empty={{ action: button, ...empty, text }} />
    </Screen>
  );
}
