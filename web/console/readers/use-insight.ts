import type {
  DescMessage,
  DescMethodUnary,
  MessageInitShape,
  MessageShape,
} from '@bufbuild/protobuf';
import { useQuery } from '@connectrpc/connect-query';
import { useEffect } from 'react';
import type { Insight } from '../../../gen/latchkey/sharing/v1/insight_pb.js';

/** The time zone of the browser, an IANA name. */
export const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();

type InsightMethod<I extends DescMessage, O extends DescMessage> = DescMethodUnary<I, O> &
  (MessageShape<O> extends { readonly insight?: Insight | undefined } ? unknown : never);

type InsightOptions = {
  readonly enabled?: boolean;
  /** The number of views in the list. If it changes, the figures are requested again. */
  readonly total?: number | undefined;
};

/** The figures about a document or a link. */
export function useInsight<I extends DescMessage, O extends DescMessage>(
  method: InsightMethod<I, O>,
  request: MessageInitShape<I>,
  { enabled = true, total }: InsightOptions = {},
) {
  // Every insight request has the field.
  const query = useQuery(method, { ...request, timeZone } as MessageInitShape<I>, { enabled });
  const { data, error, refetch } = query;
  const insight = (data as { readonly insight?: Insight } | undefined)?.insight;
  // The list contains the views of all versions, so that it may be longer than the figures.
  const newTotal = total !== undefined && total > (insight?.viewCount ?? total) ? total : 0;
  useEffect(() => {
    if (newTotal > 0) void refetch();
  }, [newTotal, refetch]);
  return { insight, error, retry: () => void refetch() };
}
