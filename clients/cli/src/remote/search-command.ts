// The command that finds resources of every kind.
import { callCommand } from './call-command.ts';

export const searchCommand = callCommand({
  name: 'search',
  about: 'Finds resources of every kind by a name, an address, an id or the URL of a link.',
  details:
    'You find the resources that you may list. The start of a name or an id finds all of them; ' +
    'other parts find only the newest.',
  method: 'search.search',
  args: { query: 'The text to find, at least two characters.' },
  fields: {
    workspace_id: { value: 'id', about: 'Only resources of this workspace.' },
    page_size: { value: 'count', about: 'The rows to print, at most 50. Default: 20.' },
  },
  isWhole: true,
  columns: [
    'kind',
    'name',
    { path: 'detail', title: 'Address' },
    { path: 'parents.0.name', title: 'Owner', fallback: 'parents.0.id' },
    'id',
  ],
  examples: ['search ada@example.com', 'search doc_4D6G --json'],
});
