import { openTextFile } from '../loading/text-file.ts';
import { FindBar } from '../shell/find-bar.ts';
import { scrollByKeys } from '../shell/scroll-keys.ts';
import type { Shell } from '../shell/shell.ts';
import { createRestNotice } from '../text/rest-notice.ts';
import { TextSearch } from '../text/text-search.ts';
import { createTable } from './create-table.ts';
import { type Rows, readRows } from './read-rows.ts';
import '../text/text.css';
import './table.css';

export async function showTable(shell: Shell): Promise<void> {
  const { main, notices, time } = shell;
  notices.showLoading();
  const read = await readRows(openTextFile(shell));
  const table = createTable(main.dataset.name ?? '', read);
  main.append(table.element);
  const rest = describeRest(read);
  if (rest !== '') main.append(createRestNotice(main, rest).element);
  scrollByKeys(main);
  new FindBar(new TextSearch(main, table.element), shell);
  const count = read.rows.length;
  notices.showLoaded(count === 1 ? '1 row' : `${count} rows`);
  time.read(1);
  await table.fill();
}

function describeRest({ header, rows, hasMoreRows, hasMoreColumns }: Rows): string {
  const count = rows.length.toLocaleString();
  const columns = `the first ${header.length} columns`;
  if (hasMoreRows && hasMoreColumns) return `You see the first ${count} rows, and ${columns}.`;
  if (hasMoreRows) return `You see the first ${count} rows. The file has more.`;
  return hasMoreColumns ? `You see ${columns}. The file has more.` : '';
}
