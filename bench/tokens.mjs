// Measures how fast tokens are issued and verified with the floors, the service and optionally
// another build of it.
import { mkdtemp } from 'node:fs/promises';
import path from 'node:path';
import { stopAll } from './processes.mjs';
import { profileTable, recordProfile } from './profile/profile.mjs';
import { otherBuild, ours, verdict } from './report.mjs';
import { startFloor, startService } from './service.mjs';
import { withUsage } from './usage.mjs';

/**
 * Runs the scenarios. Returns the results for the report, and the verdicts. `other`: the folder of
 * another build. `profile`: whether to record a profile of the main threads after the rounds.
 */
export async function runTokens(chosen, folder, options) {
  const { other, profile } = options;
  const service = await startService(folder, { isProfiled: profile });
  const builds = [{ name: ours, service, folder }];
  if (other !== undefined) builds.unshift(await startOther(folder, options));
  const floors = {};
  for (const transport of new Set(chosen.map((scenario) => scenario.transport))) {
    floors[transport] = await startFloor({ transport, folder, service, isProfiled: profile });
  }
  const results = [];
  const verdicts = [];
  for (const { name, title, transport, targets, createLoad } of chosen) {
    const sides = [];
    for (const build of builds) {
      const load = await createLoad(build.service, build.folder, options.seconds);
      sides.push(sideOf(build.name, build.service, transport, load));
    }
    const floor = sideOf('floor', floors[transport], transport, sides.at(-1).load);
    process.stdout.write(`${title}: ${floor.load.description} `);
    const servers = [floor, ...sides];
    await runRounds(servers, options);
    if (profile) process.stdout.write(`\n${await profileAll(name, servers, options)}\n`);
    process.stdout.write('\n');
    results.push({ name: title, servers });
    verdicts.push(verdict({ name: title, targets, ours: sides.at(-1), floor }));
  }
  await stopAll();
  return { results, verdicts };
}

/** Starts another build. It has its own credentials, and therefore its own load. */
export async function startOther(parent, { other, profile }) {
  const folder = await mkdtemp(path.join(parent, 'other-'));
  const service = await startService(folder, { build: other, isProfiled: profile });
  return { name: otherBuild, service, folder };
}

const sideOf = (name, { server, ports }, transport, load) => ({
  name,
  isRival: name === otherBuild,
  port: ports[transport],
  server,
  load,
  rounds: [],
  peakBytes: 0,
});

/** Runs alternating rounds. Each side is `{load, port, server, rounds, peakBytes}`. */
export async function runRounds(sides, { rounds, seconds, warmUpSeconds }) {
  await eachPrepared(sides, async ({ load, port }) => {
    await load.probe(port);
    await load.run(port, warmUpSeconds);
  });
  for (let round = 0; round < rounds; round++) {
    await eachPrepared(sides, async ({ load, port, server, rounds }) => {
      rounds.push(await withUsage(server, () => load.run(port, seconds)));
      server.clearLog();
      process.stdout.write('.');
    });
  }
  for (const side of sides) {
    await side.load.probe(side.port);
    side.peakBytes = side.server.peakBytes();
  }
}

/** Prepares each load once, just before its first run: what it prepares may expire soon. */
async function eachPrepared(sides, run) {
  const prepared = new Set();
  for (const side of sides) {
    if (!prepared.has(side.load)) await side.load.prepareRound?.();
    prepared.add(side.load);
    await run(side);
  }
}

async function profileAll(name, sides, { rounds, seconds }) {
  const profiles = sides.map((side) => ({ name: side.name, rounds: [] }));
  for (let round = 0; round < rounds; round++) {
    for (const [i, { load, port, server }] of sides.entries()) {
      await load.prepareRound?.();
      profiles[i].rounds.push(await recordProfile(server, () => load.run(port, seconds)));
      server.clearLog();
    }
  }
  return profileTable(name, profiles);
}
