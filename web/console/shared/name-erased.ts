/** The service writes such an address in the place of that of an erased reader. */
const pseudonyms = /[^\s"“”(),;<>]+@deleted\.invalid/g;

/** The text with words in the place of the addresses of erased readers. */
export const nameErased = (text: string): string =>
  text.replace(pseudonyms, (_, start: number) => (start === 0 ? 'Erased reader' : 'erased reader'));
