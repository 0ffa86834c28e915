// Runs three nodes with the programs of a real deployment: `npm run test:fleet`. The short form,
// `-- --short`, takes five minutes.
import { runCampaign } from '../support/campaign.ts';
import { missingPrograms } from './components/requirements.ts';
import { databaseOutageChecks } from './scenarios/database-outages.ts';
import { frozenNodesCheck } from './scenarios/frozen-nodes.ts';
import { killedNodesCheck } from './scenarios/killed-nodes.ts';
import { leftoversCheck } from './scenarios/leftovers.ts';
import { rollingRestartCheck } from './scenarios/rolling-restart.ts';
import { rollingUpgradeCheck } from './scenarios/rolling-upgrade.ts';
import { storeOutagesCheck } from './scenarios/store-outages.ts';

const missing = missingPrograms();
if (missing.length > 0) {
  process.stderr.write(`${missing.join('\n')}\n`);
  process.exit(2);
}
await runCampaign('npm run test:fleet', [
  killedNodesCheck,
  ...databaseOutageChecks,
  frozenNodesCheck,
  storeOutagesCheck,
  rollingRestartCheck,
  rollingUpgradeCheck,
  leftoversCheck,
]);
