import { maybe, pick, type Random } from './random.ts'

/** Texts with the characters that quoting, patterns and encodings trip over. */
export const TEXTS: readonly string[] = [
  '',
  'a',
  'checkout',
  'checkout-1',
  '/orders/1',
  '/orders/22?x="1"',
  "o'brien",
  '100%_x',
  'back\\slash',
  'ünïcode',
  '😀 smile',
  '\uffee high',
  'two\nlines',
  '500',
  'OK',
  'Kelvin K',
]
export const NAMES: readonly string[] = ['shop', 'web', 'kube-system', 'checkout']
export const STATUSES: readonly (number | string)[] = [
  200,
  404,
  500,
  0,
  'OK',
  'NXDOMAIN',
  '23505',
  '00000',
  'ERR',
]
export const PROTOS: readonly string[] = ['http', 'grpc', 'redis', 'mongodb', 'dns', 'tcp']
export const ADDRESSES: readonly string[] = [
  '10.0.0.1',
  '10.1.2.3',
  '172.16.5.5',
  '172.32.0.1',
  '192.168.1.1',
  '::1',
  'fe80::1',
  '2001:db8::5',
]
export const NUMBERS: readonly number[] = [0, 1, 80, 443, 1000, 1005, 65535, 2_000_000]
/** Milliseconds, with microseconds as a fraction. */
export const LATENCIES: readonly number[] = [0, 0.25, 1.005, 80, 250, 1000.5]
export const TIMES: readonly number[] = [1_767_225_600_000, 1_767_225_600_000.125, 1_767_229_200_000]
export const TCP_NUMBERS: readonly number[] = [0, 1, 3, 250, 80000]

/** A call in the full shape, with holes where calls have them. */
export function arbitraryCall(random: Random): object {
  const proto = pick(random, PROTOS)
  return present({
    id: `node-1/${pick(random, NUMBERS)}/${pick(random, [0, 1, 2])}`,
    ts: pick(random, TIMES),
    src: endpoint(random),
    dst: endpoint(random),
    proto,
    method: maybe(random, ['GET', 'POST', 'A']),
    path: maybe(random, TEXTS),
    status: maybe(random, STATUSES),
    latency_ms: maybe(random, LATENCIES),
    error: maybe(random, ['no_response', '500']),
    flow_id: pick(random, NUMBERS),
    conn_id: pick(random, NUMBERS),
    node_id: 'node-1',
    capture_source: pick(random, ['af_packet', 'ebpf_tls']),
    req_size: maybe(random, NUMBERS),
    request: maybe(random, [{ headers: { 'X-Id': pick(random, TEXTS), accept: ['a', 'checkout'] } }, {}]),
    response: present({ body: maybe(random, BODIES), body_size: maybe(random, NUMBERS) }),
    tcp: maybe(random, [
      { retransmissions: pick(random, TCP_NUMBERS), handshake_us: pick(random, TCP_NUMBERS) },
    ]),
    redis: proto === 'redis' ? present({ key: maybe(random, TEXTS) }) : undefined,
    mongodb: proto === 'mongodb' ? present({ success: maybe(random, [true, false]) }) : undefined,
    dns: proto === 'dns' ? present({ questions: maybe(random, LISTS) }) : undefined,
  })
}

const BODIES: readonly string[] = [
  '{"error":{"code":"a"},"n":80,"tags":["shop","web"]}',
  '{"error":{"code":500},"n":"80"}',
  'not json',
]

const LISTS: readonly (readonly string[])[] = [[], ['shop'], ['checkout', 'web.shop.example']]

function endpoint(random: Random): object {
  return present({
    ip: pick(random, ADDRESSES),
    port: pick(random, NUMBERS),
    pod: maybe(random, TEXTS),
    ns: maybe(random, NAMES),
    svc: maybe(random, NAMES),
    labels: maybe(random, [{ app: pick(random, NAMES) }, {}]),
  })
}

function present(values: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
}
