import { describe, expect, test } from 'vitest'
import { createCatalog } from './catalog.ts'
import { compile } from './filter.ts'
import { sampleProtocols } from './testing/index.ts'

const catalog = createCatalog(sampleProtocols)
const now = Date.parse('2026-01-31T12:00:00Z')

const checkout = {
  id: 'node-1/4711/3',
  ts: now - 60_000,
  src: {
    ip: '10.0.0.7',
    port: 51000,
    pod: 'frontend-7c9',
    ns: 'shop',
    node: 'node-1',
    process: 'node',
    labels: { app: 'frontend', 'app.kubernetes.io/name': 'shop' },
  },
  dst: { ip: '172.20.3.4', port: 8080, svc: 'checkout', ns: 'shop', dns: 'checkout.shop.svc' },
  proto: 'http',
  method: 'POST',
  path: '/orders/17',
  status: 500,
  latency_ms: 312.5,
  error: '500',
  conn_id: 4711,
  flow_id: 4711,
  node_id: 'node-1',
  capture_source: 'ebpf_tls',
  request: {
    headers: { 'X-Request-Id': 'r1', accept: ['text/html', 'application/json'], 'content-length': '1200' },
    query: { page: '2' },
    body: '{"items":[{"id":7,"sku":"A-1"},{"id":8}],"note":null,"rush":true}',
    http_version: '1.1',
  },
  response: { headers: {}, body: '{"error":{"code":"E42","retry_after":30}}', body_size: 2_000_000 },
  tcp: { retransmissions: 2, handshake_us: 850 },
  tcp_handshake_p99_us: 12_000,
}

const lookup = {
  ...checkout,
  proto: 'dns',
  method: 'A',
  path: 'example.com',
  status: 'NXDOMAIN',
  request: undefined,
  response: undefined,
  tcp: undefined,
  dst: { ip: '8.8.8.8', port: 53 },
  dns: { questions: ['example.com', 'www.example.com'], answers: [] },
}

function matches(filter: string, call: object = checkout): boolean {
  return compile(filter, catalog, now).matches(call)
}

describe('a filter that holds', () => {
  test.each([
    '',
    '  \n ',
    'src.pod == "frontend-7c9" and request.path contains "/orders"',
    "dst.svc == 'checkout' && response.status == 500",
    'response.status == "500"',
    'response.status >= 500 and response.status < 600',
    'status in 500..599',
    'response.status in [500, 502]',
    'response.status in {"500", 502}',
    'response.status in (500, 502)',
    'response.status in (500)',
    'response.status not in [200, 204]',
    'status startswith "5"',
    'http',
    'dns or true',
    '!dns and not redis',
    'proto == "http" and protocol == "HTTP"',
    'proto != "ws"',
    'protocol.startsWith("HT")',
    'path.startsWith("/orders") && path.endsWith("17") && path.contains("ders")',
    'path.matches("^/orders/\\d+$")',
    'path matches "^/orders/[0-9]+$"',
    'path matches r"\\d{2}"',
    'request.path not contains "health"',
    'latency > 250ms',
    'latency > 250 and latency_ms > 250 and response.latency > 250',
    'elapsed_time == 312500 and elapsed_time > 250ms',
    'latency in 100ms..1s',
    'latency > duration("250ms") and latency < "1s"',
    'latency * 2 > 600ms',
    'latency > tcp.handshake_us',
    'tcp.handshake_us > 500us and tcp.handshake_us == 850',
    'tcp_handshake_p99_us >= 12ms',
    'tcp.retransmissions > 0',
    'response.body_size > 1MB and response.body_size < 2MiB and response.body_size == 2000000',
    'src.ip in 10.0.0.0/8',
    'src.ip in "10.0.0.0/24"',
    'src.ip in [192.168.0.0/16, 10.0.0.7]',
    'src.ip == 10.0.0.7 and dst.ip != "10.0.0.7"',
    'dst.ip not in 10.0.0.0/8',
    'src.labels["app"] == "frontend"',
    'src.labels.app == "frontend"',
    'src.labels["app.kubernetes.io/name"] == "shop"',
    '"app" in src.labels and !("tier" in src.labels)',
    'local_labels.app == "frontend"',
    'request.headers["x-request-id"] == "r1"',
    'request.headers["X-REQUEST-ID"] == "r1"',
    'request.headers.x-request-id == "r1"',
    'req_headers.X-Request-Id == "r1"',
    '"x-request-id" in request.headers',
    'request.headers.accept == "application/json"',
    'request.headers.accept contains "html"',
    'request.headers["content-length"] > 1000',
    'int(request.headers["content-length"]) / 100 == 12',
    'map_get(request.headers, "x-missing", "none") == "none"',
    'map_get(request.headers, "x-request-id", "") != ""',
    'query_string["page"] == "2" and request.query.page == 2',
    'response.body.json.error.code == "E42"',
    'response.body.json["error"]["code"] == "E42"',
    'response.body.json.error.retry_after >= 30',
    'request.body.json.items[0].id == 7',
    'request.body.json.items.exists(i, i.sku == "A-1")',
    'any(request.body.json.items, it.id > 7)',
    'any(request.body.json.items, i, i.id > 7)',
    'all(request.body.json.items, it.id >= 7)',
    'request.body.json.items.all(i, has(i.id)) and !request.body.json.items.all(i, has(i.sku))',
    'request.body.json.items.exists_one(i, i.id == 8)',
    'size(request.body.json.items.filter(i, i.id > 7)) == 1',
    '8 in request.body.json.items.map(i, i.id)',
    'request.body.json.rush and !request.body.json.note',
    'response.body contains "E42"',
    'size(path) == 10 and path.size() == 10',
    'has(src.pod) and !has(dst.pod) and src.pod and !dst.pod',
    'dst.namespace.exists()',
    'src.pod != null and dst.pod == null',
    'error and error == "500"',
    'http ? status >= 500 : error == "x"',
    '(src.port > 50000 ? "high" : "low") == "high"',
    'src.port - 1000 == 50000 and src.port % 1000 == 0 and -src.port < 0',
    '"/orders/" + "17" == path',
    'ts > now() - 5m and timestamp < now()',
    'ts in timestamp("2026-01-31T11:58:00Z")..timestamp("2026-01-31T12:00:00+00:00")',
    'ts > "2026-01-31"',
    'now() - ts == 1m',
    '"shop" in namespaces and "checkout" in services and pods contains "frontend"',
    '"checkout.shop.svc" in dns_resolutions',
    'src.pod.name == src.pod and src.pod.namespace == src.namespace and dst.service.namespace == dst.ns',
    'src.name == "frontend-7c9" and dst.name == "checkout"',
    'src.ns == dst.ns and !(src.ns != dst.ns)',
    'local_process_name == "node" and local_node_name == "node-1" and node.name == worker',
    'local_resolution_status == "resolved"',
    'capture_backend == "ebpf" and capture["source"] == "ebpf_tls" and capture.backend == "ebpf" and capture_source_code == 3',
    'index == 3 and stream == "1267"',
    'status_code == 500',
    '"a" < "b" and path < "/p"',
    'not src.port == 80',
    '1 + 2 * 3 == 7 and (1 + 2) * 3 == 9',
    'NOT dns AND (http OR redis)',
  ])('%s', (filter) => {
    expect(matches(filter)).toBe(true)
  })

  test.each([
    'dns',
    'response.status == "NXDOMAIN"',
    'response.status matches "^NX"',
    '!(response.status >= 0)',
    '"example.com" in dns_questions',
    'dns_questions.exists(q, q.endsWith(".example.com"))',
    'dns_questions contains "www"',
    'dns_questions[1] startswith "www"',
    'size(dns_questions) == 2 and size(dns_answers) == 0',
    'dns_answers.all(a, a == "x")',
    '!dns_answers.exists(a, true)',
    'remote_resolution_status == "unresolved"',
    'dst.ns != "shop"',
    'src.ns != dst.ns',
  ])('%s (dns)', (filter) => {
    expect(matches(filter, lookup)).toBe(true)
  })
})

describe('a field of a protocol', () => {
  test('is absent in calls of other protocols, whatever value is at its path', () => {
    expect(matches('status_code == "NXDOMAIN"', lookup)).toBe(false)
    expect(matches('status_code', lookup)).toBe(false)
    expect(matches('status_code == 500', { ...checkout, proto: 'grpc' })).toBe(true)
  })

  test('of HTTP is one of gRPC and GraphQL too', () => {
    expect(catalog.find('status_code')?.protocols).toEqual(['http', 'grpc', 'graphql'])
    expect(matches('gqlv1', { ...checkout, proto: 'graphql' })).toBe(true)
    expect(matches('gqlv2', { ...checkout, proto: 'graphql' })).toBe(false)
  })
})

describe('a filter', () => {
  test('has its top-level conjuncts as parts, each with its own text', () => {
    const filter = compile('http and (src.ns != "a" and latency in 1ms..1s) and (dns or redis)', catalog)
    expect(filter.parts.map((part) => part.text)).toEqual([
      'http',
      'src.ns != "a"',
      'latency in 1ms..1s',
      '(dns or redis)',
    ])
    expect(compile('', catalog).parts).toEqual([])
    expect(compile('http or dns', catalog).parts.map((part) => part.text)).toEqual(['http or dns'])
  })

  test('tells the paths that it reads', () => {
    expect(compile('src.name == "a" and response.body.json.x == 1', catalog).paths).toEqual([
      'src.pod',
      'src.svc',
      'src.dns',
      'src.process',
      'response.body',
    ])
  })

  test('reads a lazy part of a call only when the cheap parts leave it open', () => {
    let reads = 0
    const call = {
      proto: 'dns',
      get response() {
        reads++
        return { body: '{}' }
      },
    }
    expect(matches('http and response.body contains "x"', call)).toBe(false)
    expect(reads).toBe(0)
  })

  test('does not find what every object inherits', () => {
    expect(matches('has(src.labels["constructor"])')).toBe(false)
    expect(matches('"__proto__" in request.headers')).toBe(false)
  })

  test('with macros inside macros over long lists comes to an end', () => {
    const body = JSON.stringify({ n: Array.from({ length: 10_000 }, () => 1) })
    const call = { ...checkout, response: { body } }
    const list = 'response.body.json.n'
    expect(matches(`${list}.exists(a, ${list}.exists(b, a + b == 3))`, call)).toBe(false)
    expect(matches(`!${list}.exists(a, ${list}.exists(b, ${list}.exists(c, a + b == 3)))`, call)).toBe(false)
    expect(matches(`${list}.exists(a, ${list}.exists(b, a + b == 2))`, call)).toBe(true)
  })

  test('treats a body that is no JSON as one without paths', () => {
    const call = { ...checkout, response: { body: '<html>' } }
    expect(matches('response.body.json.error.code == "E42"', call)).toBe(false)
    expect(matches('response.body.json.error.code != "E42"', call)).toBe(false)
    expect(matches('has(response.body.json)', call)).toBe(false)
  })
})
