// The default theme with the colors of the console, and a picture of it on the home page.
import type { Theme } from 'vitepress';
import theme, { VPImage } from 'vitepress/theme';
import { h } from 'vue';
import light from '../../images/console-documents.png';
import dark from '../../images/console-documents-dark.png';
import './latchkey.css';

const picture = { light, dark, alt: 'The documents of a workspace in the console' };

export default {
  extends: theme,
  Layout: () =>
    h(theme.Layout, null, {
      'home-hero-image': () => h(VPImage, { image: picture, class: 'image-src console' }),
    }),
} satisfies Theme;
