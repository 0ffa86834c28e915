/** Moves the expiry of links to a later time, which can be undone. */
import { timestampFromMs, timestampMs } from '@bufbuild/protobuf/wkt';
import { Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { type Link, LinkService } from '../../../gen/latchkey/sharing/v1/link_pb.js';
import { useDialogs } from '../shared/dialogs.tsx';
import { ErrorDialog } from '../shared/error-dialog.tsx';
import { ExpiryField, expiryAfter, parseExpireTime } from '../shared/expiry-field.tsx';
import { FormDialog } from '../shared/form-dialog.tsx';
import { showToast } from '../shared/toasts.tsx';
import { useMethod } from '../shared/use-method.ts';
import { hasEnded, linksText } from './link-state.tsx';

export type ExtendLinksDialogProps = {
  readonly links: readonly Link[];
  /** Called after the change. */
  readonly done: () => void;
};

const firstDays = 30;

export default function ExtendLinksDialog({ links, done }: ExtendLinksDialogProps) {
  const setTimes = useSetTimes();
  const form = useForm({
    initialValues: { expireTime: expiryAfter(firstDays) },
    validate: {
      expireTime: (text) =>
        extendedBy(links, text).length > 0 ? null : 'Choose a time after their present expiry.',
    },
  });
  const expired = links.filter(hasEnded).length;

  async function extend({ expireTime: text }: { readonly expireTime: string }) {
    const { expireTime } = parseExpireTime(text);
    const extended = extendedBy(links, text);
    const ms = expireTime && timestampMs(expireTime);
    await setTimes(extended.map((link) => ({ link, ms })));
    done();
    showToast(`${linksText(extended.length)} extended`, {
      label: 'Undo',
      run: () => void setTimes.back(extended),
    });
  }

  return (
    <FormDialog
      title={`Extend ${linksText(links.length)}`}
      form={form}
      label="Extend"
      submit={extend}
    >
      <ExpiryField {...form.getInputProps('expireTime')} data-path="expireTime" data-autofocus />
      <Text size="sm" c="dimmed">
        Links that expire later, or never, keep their expiry.
        {expired === 0 ? '' : ` ${expiredText(expired)}`}
      </Text>
    </FormDialog>
  );
}

const expiredText = (count: number) =>
  count === 1
    ? 'One link has expired: readers can open it again.'
    : `${count} links have expired: readers can open them again.`;

/** The links whose expiry would become later. An empty text means never. */
function extendedBy(links: readonly Link[], text: string): readonly Link[] {
  const ms = text === '' ? Number.POSITIVE_INFINITY : new Date(text).getTime();
  return links.filter(({ expireTime }) => expireTime !== undefined && timestampMs(expireTime) < ms);
}

type LinkTime = {
  readonly link: Link;
  /** Undefined: never. */
  readonly ms: number | undefined;
};

/** The API accepts no time in the past: links that had expired expire again after this time. */
const soonSeconds = 5;

function restoredText(count: number, expired: number): string {
  const again =
    expired === 1
      ? `One link had expired: it expires again in ${soonSeconds} seconds.`
      : `${expired} links had expired: they expire again in ${soonSeconds} seconds.`;
  if (expired === 0) return 'Previous expiry restored';
  return expired === count ? again : `Previous expiry restored. ${again}`;
}

/** Sets the expiry of each link, all or none. `back` restores the times that they have here. */
function useSetTimes() {
  const update = useMethod(LinkService.method.batchUpdateLinks);
  const { open } = useDialogs();
  const setTimes = async (times: readonly LinkTime[]) => {
    const requests = times.map(({ link: { id: linkId }, ms }) => ({
      linkId,
      updateMask: { paths: ['expire_time'] },
      ...(ms === undefined ? {} : { expireTime: timestampFromMs(ms) }),
    }));
    await update({ workspaceId: times[0]?.link.workspaceId ?? '', requests });
  };
  const back = async (links: readonly Link[]) => {
    const expired = links.filter(hasEnded).length;
    const soon = Date.now() + soonSeconds * 1000;
    const times = links.map((link) => ({
      link,
      ms: link.expireTime && Math.max(timestampMs(link.expireTime), soon),
    }));
    try {
      await setTimes(times);
      showToast(restoredText(links.length, expired));
    } catch (error) {
      open(<ErrorDialog title="The expiry was not restored" error={error} />);
    }
  };
  return Object.assign(setTimes, { back });
}
