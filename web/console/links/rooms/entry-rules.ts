/** The rules of a link for documents and folders of its room, as one choice for each entry. */
import type { MessageInitShape } from '@bufbuild/protobuf';
import type {
  RoomEntryRule,
  RoomEntryRuleSchema,
} from '../../../../gen/latchkey/sharing/v1/link_pb.js';
import { idFieldOf } from '../share/share-target.ts';

/** Empty: the rule of the nearest folder, or else the option of the link. */
export type EntryChoice = '' | 'hidden' | 'view' | 'download';

export const entryChoices: readonly { readonly value: EntryChoice; readonly label: string }[] = [
  { value: '', label: 'Like its folder' },
  { value: 'view', label: 'View only' },
  { value: 'download', label: 'Download' },
  { value: 'hidden', label: 'Hidden' },
];

export type EntryChoices = Readonly<Record<string, EntryChoice>>;

export const readChoices = (rules: readonly RoomEntryRule[]): EntryChoices =>
  Object.fromEntries(rules.map((rule) => [rule.documentId || rule.folderId, choiceOf(rule)]));

function choiceOf({ hidden, allowDownload }: RoomEntryRule): EntryChoice {
  if (hidden) return 'hidden';
  return allowDownload === true ? 'download' : 'view';
}

export const writeChoices = (
  choices: EntryChoices,
): MessageInitShape<typeof RoomEntryRuleSchema>[] =>
  Object.entries(choices)
    .filter(([, choice]) => choice !== '')
    .map(([id, choice]) => ({
      ...idFieldOf({ id }),
      ...(choice === 'hidden' ? { hidden: true } : { allowDownload: choice === 'download' }),
    }));

/** Such as `2 entries are hidden, and 1 has its own download rule.` */
export function describeRules(rules: readonly RoomEntryRule[]): string {
  if (rules.length === 0) return 'Readers see everything in the folder.';
  const hidden = rules.filter((rule) => rule.hidden).length;
  const others = rules.length - hidden;
  const parts = [
    ...(hidden === 0 ? [] : [`${hidden === 1 ? '1 entry is' : `${hidden} entries are`} hidden`]),
    ...(others === 0
      ? []
      : [`${others === 1 ? '1 entry has its' : `${others} entries have their`} own download rule`]),
  ];
  return `${parts.join(', and ')}.`;
}
