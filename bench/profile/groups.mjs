// The groups of functions in the table of the main thread's time.

const sockets = 'Node: HTTP and sockets';

/**
 * The first pattern that matches the source file decides. A file is relative to the root of the
 * repository; Node's own files begin with `node:`. A function without a match, such as one of V8 or
 * `node:buffer`, belongs to the group of its caller.
 */
const groups = [
  [
    'Node: HTTP and sockets',
    /^node:(_http|http|net$|internal\/(http|stream|timers|js_stream|tls))/,
  ],
  ['Node: promises and callbacks', /^node:internal\/(process\/task_queues|async_)/],
  [sockets, /^node:(internal\/(dns|cluster|child_process)|stream|dgram)/],
  ['code of the floor', /^bench\/floors\//],
  ['signature and claims', /^src\/identity\/(keys\/|tokens\/(claims|sign|verifier))/],
  ['signature and claims', /^node_modules\/(sodium-native|jose)\//],
  ['log and metrics', /^src\/observe\//],
  ['log and metrics', /^node_modules\/(pino|sonic-boom|prom-client|@opentelemetry\/|safe-stable)/],
  ['messages and transcoding', /^(gen\/|node_modules\/@bufbuild\/protobuf\/)/],
  ['messages and transcoding', /^src\/transports\/gateway\/(transcode|oauth-form)/],
  [
    'messages and transcoding',
    /^src\/(api\/(json-members|json-texts|request-json|response-json)|base\/limits\/json)/,
  ],
  ['credential look-up', /^src\/(credentials|storage|identity|base\/crypto)\//],
  ['credential look-up', /^node_modules\/(lru-cache|kysely|better-sqlite3|pg)/],
  ['guard and validation', /^(src\/(api|audit|base\/(limits|net))|node_modules\/@bufbuild)\//],
  ['gateway', /^src\/(transports\/(gateway|http|socket)|base\/errors\/)/],
  ['Connect', /^(src\/transports\/connect|node_modules\/@connectrpc)\//],
  ['gRPC', /^(src\/transports\/grpc|node_modules\/@grpc)\//],
  ['other code of the service', /^src\//],
  ['other packages', /^node_modules\//],
];

const ofV8 = new Map([
  ['(garbage collector)', 'garbage collector'],
  // Native code that no JavaScript calls, such as the event loop and its reads.
  ['(program)', 'Node: event loop'],
]);
const nativeWrite = /^write(v|Buffer|\w+String)$/;

/** `file`: empty for native functions. `ofCaller`: the group of the caller. */
export function groupOf(name, file, ofCaller) {
  if (file === '' && ofCaller === sockets && nativeWrite.test(name)) return 'Node: socket writes';
  return ofV8.get(name) ?? groups.find(([, pattern]) => pattern.test(file))?.[0] ?? ofCaller;
}
