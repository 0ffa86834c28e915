// Injects faults into the built program: `npm run test:chaos`; CI runs it with `-- --short`.
import { runCampaign } from '../support/campaign.ts';
import { clockChecks } from './clock.ts';
import { commitLossCheck } from './commit-loss.ts';
import { containersChecks } from './containers.ts';
import { conversionChecks } from './conversions.ts';
import { fullDiskCheck } from './full-disk.ts';
import { guessesCheck } from './guesses.ts';
import { killChecks } from './kill.ts';
import { logPipeCheck } from './log-pipe.ts';
import { overloadCheck } from './overload.ts';
import { slowChecks } from './slow.ts';
import { sweepCheck } from './sweep.ts';
import { unreadChecks } from './unread.ts';

await runCampaign('npm run test:chaos', [
  ...killChecks,
  ...conversionChecks,
  commitLossCheck,
  ...containersChecks,
  fullDiskCheck,
  ...clockChecks,
  guessesCheck,
  logPipeCheck,
  ...slowChecks,
  overloadCheck,
  sweepCheck,
  ...unreadChecks,
]);
