import { createTheme, type MantineColorsTuple } from '@mantine/core';

/** Shades of the accent colour of the viewer. */
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

/** The dark colours of the viewer. */
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
    // Badges never shrink in narrow columns.
    Badge: { defaultProps: { miw: 'max-content' } },
    Modal: {
      defaultProps: {
        centered: true,
        closeButtonProps: { 'aria-label': 'Close' },
        // No fade-out: the content of a dialog disappears before the dialog would.
        transitionProps: { duration: 0 },
      },
      styles: {
        title: { fontWeight: 600, lineHeight: 1.3, minWidth: 0, overflowWrap: 'anywhere' },
      },
    },
    // Screen readers ignore the label of an element without a role.
    Loader: { defaultProps: { role: 'img' } },
    Table: { defaultProps: { verticalSpacing: 'sm' } },
  },
});
