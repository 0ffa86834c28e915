// Renders the Helm chart with the template functions that Helm uses, and checks each resource
// against the schemas of Kubernetes, of the Gateway API and of the Prometheus Operator.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { itHoldsFor } from '../support/rule.ts';

const run = promisify(execFile);
const root = path.resolve(import.meta.dirname, '../..');
const chart = path.join(root, 'deploy/helm/latchkey');
const packages = 'golang-go golang-github-masterminds-sprig-dev golang-k8s-sigs-yaml-dev';
const schemas = [
  'kubernetes-models@5.1.0',
  '@kubernetes-models/gateway-api@2.0.0',
  '@kubernetes-models/prometheus-operator@6.0.0',
];

type Values = Record<string, unknown>;

type Resource = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: Values;
};

let folder = '';

beforeAll(async () => {
  await run('dpkg', ['--status', ...packages.split(' ')]).catch((cause) => {
    throw new Error(`missing packages: apt-get install ${packages}`, { cause });
  });
  folder = await mkdtemp(path.join(tmpdir(), 'latchkey-helm-'));
  const cwd = path.join(folder, 'src/render');
  await mkdir(cwd, { recursive: true });
  await copyFile(path.join(import.meta.dirname, 'helm/render.go'), path.join(cwd, 'main.go'));
  const env = {
    ...process.env,
    GO111MODULE: 'off',
    GOFLAGS: '',
    GOPATH: `${folder}:/usr/share/gocode`,
    GOCACHE: path.join(folder, 'cache'),
  };
  await run('go', ['build', '-o', path.join(folder, 'render')], { cwd, env });
  await run('npm', ['install', '--no-audit', '--no-fund', '--prefix', folder, ...schemas]);
}, 300_000);

afterAll(() => rm(folder, { recursive: true, force: true }));

const required = { publicUrl: 'https://latchkey.example.com', existingSecret: 'latchkey' };

const everything = {
  ...required,
  autoscaling: { enabled: true },
  migrationJob: { enabled: true, existingSecret: 'latchkey-owner' },
  backup: {
    enabled: true,
    recipient: 'age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kdxxn4smqsv0jp6',
    target: 's3://backups/latchkey?region=eu-central-1',
  },
  ingress: { enabled: true, className: 'nginx', tlsSecret: 'latchkey-tls' },
  grpcRoute: { enabled: true, parentRefs: [{ name: 'public' }], hostnames: ['grpc.example.com'] },
  networkPolicy: {
    enabled: true,
    httpFrom: [{ namespaceSelector: { matchLabels: { name: 'ingress' } } }],
    operationsFrom: [{ namespaceSelector: { matchLabels: { name: 'monitoring' } } }],
  },
  serviceMonitor: { enabled: true, labels: { release: 'prometheus' } },
  prometheusRule: { enabled: true, labels: { release: 'prometheus' } },
  trustedProxies: '10.0.0.0/8',
  settings: { LATCHKEY_WORKERS: '2' },
  extraVolumes: [{ name: 'tls', secret: { secretName: 'latchkey-tls' } }],
  extraVolumeMounts: [{ name: 'tls', mountPath: '/etc/latchkey/tls', readOnly: true }],
  nodeSelector: { 'kubernetes.io/arch': 'amd64' },
  tolerations: [{ key: 'dedicated', operator: 'Exists' }],
};

async function render(values: Values): Promise<Resource[]> {
  const [defaults, about] = await Promise.all(
    ['values.yaml', 'Chart.yaml'].map(async (name) =>
      parse(await readFile(path.join(chart, name), 'utf8')),
    ),
  );
  const merged = { ...defaults };
  for (const [name, value] of Object.entries(values)) {
    const isMap = typeof value === 'object' && value !== null && !Array.isArray(value);
    merged[name] = isMap ? { ...defaults[name], ...value } : value;
  }
  const program = spawn(path.join(folder, 'render'), [chart]);
  program.stdin.end(
    JSON.stringify({
      Values: merged,
      Release: { Name: 'tokens', Namespace: 'default', Service: 'Helm' },
      Chart: { Name: about.name, Version: about.version, AppVersion: about.appVersion },
    }),
  );
  const [output, error, [code]] = await Promise.all([
    text(program.stdout),
    text(program.stderr),
    once(program, 'close'),
  ]);
  if (code !== 0) throw new Error(error);
  return parseAllDocuments(output).flatMap((document) => {
    expect(document.errors).toEqual([]);
    return document.toJS() ?? [];
  });
}

/** Throws if the resource does not have the form that its schema requires. */
async function validate(resource: Resource): Promise<void> {
  const operator = resource.apiVersion.startsWith('monitoring.coreos.com/');
  const gateway = resource.apiVersion.startsWith('gateway.networking.k8s.io/');
  const library = operator ? '@kubernetes-models/prometheus-operator' : 'kubernetes-models';
  const file = path.join(
    ...[folder, 'node_modules', gateway ? '@kubernetes-models/gateway-api' : library],
    `${resource.apiVersion}/${resource.kind}.js`,
  );
  const model = (await import(pathToFileURL(file).href))[resource.kind];
  new model(resource).validate();
}

const of = (resources: readonly Resource[], kind: string) => {
  const found = resources.filter((resource) => resource.kind === kind);
  expect(found.map(({ metadata }) => metadata.name)).toHaveLength(1);
  return JSON.parse(JSON.stringify(found[0]?.spec));
};

itHoldsFor([
  ['required', required, ['Deployment', 'PodDisruptionBudget', 'Service', 'ServiceAccount']],
  [
    'all',
    everything,
    [
      ...['CronJob', 'Deployment', 'GRPCRoute', 'HorizontalPodAutoscaler', 'Ingress', 'Job'],
      ...['NetworkPolicy', 'PodDisruptionBudget', 'PrometheusRule', 'Service', 'ServiceAccount'],
      'ServiceMonitor',
    ],
  ],
] as const)('the resources of the chart match their schemas', async (_, values, kinds) => {
  const resources = await render(values);
  expect([...new Set(resources.map(({ kind }) => kind))].sort()).toEqual(kinds);
  for (const resource of resources) await validate(resource);
});

it('no Service sends requests to the pods of jobs', async () => {
  const resources = await render(everything);
  const selectors = resources.filter(({ kind }) => kind === 'Service').map(({ spec }) => spec);
  const job = of(resources, 'Job').template;
  const backup = of(resources, 'CronJob').jobTemplate.spec.template;
  const matches = (labels: Values, selector: unknown) =>
    Object.entries(selector as Values).every(([name, value]) => labels[name] === value);
  expect(selectors).toHaveLength(2);
  for (const { selector } of selectors) {
    expect(matches(of(resources, 'Deployment').template.metadata.labels, selector)).toBe(true);
    expect(matches(job.metadata.labels, selector)).toBe(false);
    expect(matches(backup.metadata.labels, selector)).toBe(false);
  }
});

it('the jobs have the settings of the nodes, and the migration has its own secret', async () => {
  const resources = await render(everything);
  const [node] = of(resources, 'Deployment').template.spec.containers;
  const [migration] = of(resources, 'Job').template.spec.containers;
  const [backup] = of(resources, 'CronJob').jobTemplate.spec.template.spec.containers;
  const names = node.env.map(({ name }: { name: string }) => name);
  expect(names).toEqual(
    expect.arrayContaining(['LATCHKEY_MIGRATE', 'LATCHKEY_BACKUP_TARGET', 'LATCHKEY_WORKERS']),
  );
  for (const { env, image, securityContext, volumeMounts } of [migration, backup]) {
    expect({ env, image, securityContext, volumeMounts }).toEqual({
      env: node.env,
      image: node.image,
      securityContext: node.securityContext,
      volumeMounts: node.volumeMounts,
    });
  }
  expect([migration.args, backup.args]).toEqual([['migrate'], ['backup']]);
  const secretOf = (container: { envFrom: { secretRef: { name: string } }[] }) =>
    container.envFrom.map(({ secretRef }) => secretRef.name);
  expect([node, migration, backup].map(secretOf)).toEqual([
    ['latchkey'],
    ['latchkey-owner'],
    ['latchkey'],
  ]);
});

it('further volumes are mounted in all pods', async () => {
  const resources = await render(everything);
  const pods = [
    of(resources, 'Deployment').template,
    of(resources, 'Job').template,
    of(resources, 'CronJob').jobTemplate.spec.template,
  ];
  for (const { spec } of pods) {
    expect(spec.volumes).toEqual([
      { name: 'data', emptyDir: { sizeLimit: '1Gi' } },
      { name: 'tmp', emptyDir: {} },
      ...everything.extraVolumes,
    ]);
    expect(spec.containers[0].volumeMounts.slice(2)).toEqual(everything.extraVolumeMounts);
  }
});

it('the autoscaler alone sets the number of nodes', async () => {
  const scaled = of(await render(everything), 'Deployment');
  const fixed = of(await render(required), 'Deployment');
  expect(scaled.replicas).toBeUndefined();
  expect(fixed.replicas).toBe(3);
});

it('the PrometheusRule has the alert rules of the project', async () => {
  const rules = parse(await readFile(path.join(root, 'deploy/prometheus/alerts.yaml'), 'utf8'));
  expect(of(await render(everything), 'PrometheusRule')).toEqual(rules);
});

itHoldsFor([
  [{ existingSecret: 'latchkey' }, 'publicUrl is required'],
  [{ publicUrl: 'https://latchkey.example.com' }, 'existingSecret is required'],
  [{ ...required, backup: { enabled: true } }, 'backup.recipient is required'],
  [{ ...required, backup: { enabled: true, recipient: 'age1' } }, 'backup.target is required'],
  [{ ...required, grpcRoute: { enabled: true } }, 'grpcRoute.parentRefs is required'],
  [
    { ...everything, settings: { LATCHKEY_BACKUP_SCHEDULE: '30 2 * * *' } },
    'backup.enabled and LATCHKEY_BACKUP_SCHEDULE both make backups',
  ],
] as const)(
  'a missing or contradictory value is an error that names it',
  async (values, message) => {
    await expect(render(values)).rejects.toThrow(message);
  },
);
