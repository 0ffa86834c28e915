// The files in deploy/ fit to each other and to the settings. `npm run test:fleet` runs them.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import type { Setting } from '../../src/base/config/setting.ts';
import { settings } from '../../src/base/config/settings.ts';
import { itHoldsFor } from '../support/rule.ts';
import { readText, root } from './files.ts';

type Service = {
  readonly environment?: Record<string, unknown>;
  readonly volumes?: readonly string[];
  readonly depends_on?: readonly string[] | Record<string, unknown>;
  readonly image: string;
};

type Compose = {
  readonly services: Record<string, Service>;
  readonly volumes: Record<string, unknown>;
};

// Merge keys (`<<`) are YAML 1.1.
const compose: Compose = parse(readText('deploy/compose.fleet.yaml'), { merge: true });
const services = Object.entries(compose.services);

test('the compose file sets only existing settings', () => {
  const known: string[] = Object.values<Setting>(settings).map(({ name }) => name);
  for (const node of ['node1', 'node2', 'node3']) {
    const names = Object.keys(compose.services[node]?.environment ?? {});
    const own = names.filter((name) => name.startsWith('LATCHKEY_'));
    expect(own.length).toBeGreaterThan(0);
    expect(own.filter((name) => !known.includes(name))).toEqual([]);
  }
});

test('the compose file sets each variable of haproxy.cfg', () => {
  const used = [...readText('deploy/haproxy/haproxy.cfg').matchAll(/"\$\{(\w+)\}"/g)];
  const names = [...new Set(used.map(([, name]) => name))];
  expect(Object.keys(compose.services.haproxy?.environment ?? {}).sort()).toEqual(names.sort());
});

itHoldsFor(services, 8)(
  'every service names a version and refers to defined services and volumes',
  (_, service) => {
    expect(service.image).toMatch(/^latchkey$|:/);
    const { depends_on: needed = [], volumes = [] } = service;
    const names = Array.isArray(needed) ? needed : Object.keys(needed);
    expect(names.filter((name) => !(name in compose.services))).toEqual([]);
    for (const [source = ''] of volumes.map((volume) => volume.split(':'))) {
      const isFound = source.startsWith('.')
        ? existsSync(path.join(root, 'deploy', source))
        : source in compose.volumes;
      expect([source, isFound]).toEqual([source, true]);
    }
  },
);

// Kubernetes makes an emptyDir that every user may write to. The service refuses such a folder.
test('the data folder of the chart is inside its volume', () => {
  const template = readText('deploy/helm/latchkey/templates/_helpers.tpl');
  const volume = /name: data, mountPath: (\S+) /.exec(template)?.[1];
  const folder = /name: LATCHKEY_DATA_DIR\s+value: (\S+)/.exec(template)?.[1] ?? '';
  expect(path.dirname(folder)).toBe(volume);
  const notes = readText('deploy/helm/latchkey/templates/NOTES.txt');
  expect(notes).toContain(`${folder}/bootstrap.env`);
});

test('the ServiceMonitor gives the job of the alert rules to the nodes', () => {
  const monitor = readText('deploy/helm/latchkey/templates/service-monitor.yaml');
  const label = /jobLabel: (\S+)/.exec(monitor)?.[1];
  const labels = readText('deploy/helm/latchkey/templates/_helpers.tpl');
  const job = new RegExp(`^${label}: (\\S+)$`, 'm').exec(labels)?.[1];
  const rules = readText('deploy/prometheus/alerts.yaml');
  expect(new Set([...rules.matchAll(/job="([^"]+)"/g)].map(([, name]) => name))).toEqual(
    new Set([job]),
  );
});

test('all tests ran on the Node version of the image, which the docs name', () => {
  const [, major = ''] = /node:(\d+)-/.exec(readText('deploy/Containerfile')) ?? [];
  const operations = readText('docs/operations.md');
  expect(operations).toContain(`The image has Node ${major}.`);
  expect(operations).toMatch(new RegExp(`^\\| ${major}\\.\\d+\\.\\d+ \\| everything`, 'm'));
  expect(readText('deploy/README.md')).toContain(`The image has Node ${major},`);
});
