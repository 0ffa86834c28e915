import { createTheme, type MantineColorsTuple } from '@mantine/core';

/** The accent of the pages of links, and its neighbours. */
const accent: MantineColorsTuple = [
  '#eef4fd',
  '#dbe6f8',
  '#b5cdf1',
  '#8bb5f5',
  '#6799e6',
  '#4a84de',
  '#3573d3',
  '#2866c4',
  '#1d5bb8',
  '#174a97',
];

/** The dark ground of the same pages, and what stands on it. */
const dark: MantineColorsTuple = [
  '#e7ebf0',
  '#c6ced8',
  '#a1adbb',
  '#8995a3',
  '#3d4854',
  '#2f3843',
  '#252c35',
  '#1c222a',
  '#161b21',
  '#12161b',
];

export const theme = createTheme({
  primaryColor: 'accent',
  primaryShade: { light: 8, dark: 8 },
  colors: { accent, dark },
  defaultRadius: 'md',
  cursorType: 'pointer',
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif',
  headings: { fontWeight: '600' },
  components: {
    // In a narrow column it is the others that give way.
    Badge: { defaultProps: { miw: 'max-content' } },
    Modal: {
      defaultProps: {
        centered: true,
        closeButtonProps: { 'aria-label': 'Close' },
        // What a dialog says is gone with it, rather than fading away empty.
        transitionProps: { duration: 0 },
      },
      styles: {
        title: { fontWeight: 600, lineHeight: 1.3, minWidth: 0, overflowWrap: 'anywhere' },
      },
    },
    // A name is nothing to a screen reader without a role.
    Loader: { defaultProps: { role: 'img' } },
    Table: { defaultProps: { verticalSpacing: 'sm' } },
  },
});
