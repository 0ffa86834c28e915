// Sends generated requests to the built program: `npm run test:fuzz`; CI runs it with `-- --short`.
import { runCampaign } from '../support/campaign.ts';
import { framesChecks } from './frames.ts';
import { httpChecks } from './http.ts';
import { nestingCheck } from './nesting.ts';

await runCampaign('npm run test:fuzz', [...httpChecks, ...framesChecks, nestingCheck]);
