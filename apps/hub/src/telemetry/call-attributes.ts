import type { Attributes } from '@opentelemetry/api'
import type { LiveCall } from '@tapdeck/api'

/** The name of the system in `db.system.name`, by our name of the protocol. */
const databases: Readonly<Record<string, string>> = {
  postgresql: 'postgresql',
  mysql: 'mysql',
  mongodb: 'mongodb',
  redis: 'redis',
  memcached: 'memcached',
  cassandra: 'cassandra',
}

/** `messaging.system`, likewise. */
const messaging: Readonly<Record<string, string>> = {
  kafka: 'kafka',
  amqp: 'rabbitmq',
  mqtt: 'mqtt',
  nats: 'nats',
}

/** Methods of messaging protocols that move messages: `messaging.operation.type`. */
const operationTypes: Readonly<Record<string, string>> = {
  Produce: 'send',
  Fetch: 'receive',
  'basic.publish': 'send',
  'basic.deliver': 'process',
  'basic.get': 'receive',
  PUBLISH: 'send',
  PUB: 'send',
  HPUB: 'send',
  MSG: 'process',
  HMSG: 'process',
}

const web = ['http', 'graphql', 'websocket']
const SERVER_ERROR = 500

/**
 * A call by OpenTelemetry's semantic conventions. Texts of statements and keys are not sent: they hold data of users, and
 * the conventions ask for statements without literals.
 */
export function callAttributes(call: LiveCall): Attributes {
  const { proto, src, dst } = call
  return {
    'server.address': dst.svc ?? dst.pod ?? dst.ip,
    'server.port': dst.port,
    'client.address': src.svc ?? src.pod ?? src.ip,
    'network.peer.address': src.ip,
    'network.peer.port': src.port,
    'network.protocol.name': web.includes(proto) ? 'http' : proto,
    'tapdeck.call.id': call.id,
    ...protocolAttributes(call),
    ...(isFailed(call) && { 'error.type': errorType(call) }),
  }
}

/** The low-cardinality name of a span. */
export function spanName({ proto, method, path }: LiveCall): string {
  if (proto === 'grpc') return path?.replace(/^\//, '') ?? 'grpc'
  if (web.includes(proto)) return method ?? 'HTTP'
  if (messaging[proto] && path !== undefined && path !== '') return `${method ?? proto} ${path}`
  return method === undefined ? proto : `${proto} ${method}`
}

/** Whether the responder failed: as the conventions have it, a client error of HTTP is no failure of the server. */
export function isFailed({ proto, status, error }: LiveCall): boolean {
  if (web.includes(proto) && typeof status === 'number') return status >= SERVER_ERROR
  return error !== undefined
}

/** Only for calls with an error. */
export function errorType({ proto, status, error }: LiveCall): string {
  // The status of a gRPC call is that of HTTP, which is 200 for most errors.
  if (proto !== 'grpc' && status !== undefined && String(status) !== 'ok') return String(status)
  return error ?? '_OTHER'
}

function protocolAttributes(call: LiveCall): Attributes {
  const { proto, method, path, status } = call
  if (web.includes(proto))
    return {
      'http.request.method': method,
      'url.path': path,
      'url.scheme': 'http',
      ...(typeof status === 'number' && { 'http.response.status_code': status }),
    }
  if (proto === 'grpc') return { 'rpc.system.name': 'grpc', 'rpc.method': path?.replace(/^\//, '') }
  const database = databases[proto]
  if (database !== undefined)
    return {
      'db.system.name': database,
      'db.operation.name': method,
      ...(proto === 'mongodb' && collection(path)),
      ...(call.error !== undefined && status !== undefined && { 'db.response.status_code': String(status) }),
    }
  const system = messaging[proto]
  if (system !== undefined)
    return {
      'messaging.system': system,
      'messaging.operation.name': method,
      'messaging.operation.type': operationTypes[method ?? ''],
      'messaging.destination.name': path === '' ? undefined : path,
    }
  return proto === 'dns' ? { 'dns.question.name': path } : {}
}

function collection(path: string | undefined): Attributes {
  const [, database, name] = /^([^.]+)\.(.+)$/.exec(path ?? '') ?? []
  return { 'db.namespace': database, 'db.collection.name': name }
}
