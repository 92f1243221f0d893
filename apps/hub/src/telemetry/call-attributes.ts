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

/** `messaging.system.name`, likewise. */
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
const CLIENT_ERROR = 400

/** RFC 9110, RFC 5789 and QUERY; the conventions replace others, because a client can send any. */
const httpMethods = new Set('GET HEAD POST PUT DELETE CONNECT OPTIONS TRACE PATCH QUERY'.split(' '))
const OTHER = '_OTHER'

/** Status codes of gRPC that say that the server failed; others are an answer to the client. */
const serverCodes = ['UNKNOWN', 'DEADLINE_EXCEEDED', 'UNIMPLEMENTED', 'INTERNAL', 'UNAVAILABLE', 'DATA_LOSS']
/** `NOT_FOUND: no such cart`, as the error of a call has it. */
const GRPC_CODE = /^([A-Z]+(?:_[A-Z]+)*)(?::|$)/
/** An error that is one word is a name; longer ones are written for people, and may hold their data. */
const NAME = /^[\w.-]{1,64}$/

/**
 * A call by OpenTelemetry's semantic conventions. Texts of statements, keys and errors are not sent: they hold data of users,
 * and the conventions ask for few different values.
 */
export function callAttributes(call: LiveCall): Attributes {
  const { proto, src, dst } = call
  const attributes = {
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
  // The exporter would send a key without a value.
  return Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined))
}

/** The low-cardinality name of a span. */
export function spanName({ proto, method, path }: LiveCall): string {
  if (proto === 'grpc') return path?.replace(/^\//, '') ?? 'grpc'
  if (web.includes(proto)) return method !== undefined && httpMethods.has(method) ? method : 'HTTP'
  if (messaging[proto] && path !== undefined && path !== '') return `${method ?? proto} ${path}`
  if (databases[proto] === undefined) return method === undefined ? proto : `${proto} ${method}`
  const target = proto === 'mongodb' ? collection(path)?.name : undefined
  return [method ?? databases[proto], target].filter((part) => part !== undefined).join(' ')
}

/** Whether the responder failed: as the conventions have it, an error of the client is no failure of the server. */
export function isFailed({ proto, status, error }: LiveCall): boolean {
  if (web.includes(proto) && typeof status === 'number') return status >= SERVER_ERROR
  if (error === undefined) return false
  const code = proto === 'grpc' ? grpcCode(error) : undefined
  if (code !== undefined) return serverCodes.includes(code)
  return !(proto === 'grpc' && isClientError(status))
}

/** Only for calls with an error: a status, or the name of an error. */
export function errorType({ proto, status, error }: LiveCall): string {
  const code = proto === 'grpc' && error !== undefined ? grpcCode(error) : undefined
  if (code !== undefined) return code
  // A call over HTTP can fail although its status is fine: broken off, or with an error in its body.
  const isFine = [...web, 'grpc'].includes(proto) && Number(status) < CLIENT_ERROR
  if (status !== undefined && String(status).toLowerCase() !== 'ok' && !isFine) return nameOf(String(status))
  // Those of GraphQL are written by the server, and may be any word.
  return error === undefined || proto === 'graphql' ? OTHER : nameOf(error)
}

function nameOf(text: string): string {
  return NAME.test(text) ? text : OTHER
}

function grpcCode(error: string): string | undefined {
  return GRPC_CODE.exec(error)?.[1]
}

function isClientError(status: LiveCall['status']): boolean {
  return Number(status) >= CLIENT_ERROR && Number(status) < SERVER_ERROR
}

function protocolAttributes(call: LiveCall): Attributes {
  const { proto, method, path, status } = call
  if (web.includes(proto))
    return {
      ...httpMethod(method),
      'url.path': path,
      'url.scheme': 'http',
      ...(typeof status === 'number' && { 'http.response.status_code': status }),
    }
  if (proto === 'grpc')
    return { 'rpc.system.name': 'grpc', 'rpc.method': path?.replace(/^\//, ''), ...grpcStatus(call) }
  const database = databases[proto]
  if (database !== undefined) {
    const found = proto === 'mongodb' ? collection(path) : undefined
    return {
      'db.system.name': database,
      'db.operation.name': method,
      'db.namespace': found?.database,
      'db.collection.name': found?.name,
      ...(call.error !== undefined && status !== undefined && { 'db.response.status_code': String(status) }),
    }
  }
  const system = messaging[proto]
  if (system !== undefined)
    return {
      'messaging.system.name': system,
      'messaging.operation.type': operationTypes[method ?? ''],
      'messaging.destination.name': path === '' ? undefined : path,
    }
  return proto === 'dns' ? { 'dns.question.name': path } : {}
}

function httpMethod(method: string | undefined): Attributes {
  if (method === undefined) return {}
  if (httpMethods.has(method)) return { 'http.request.method': method }
  return { 'http.request.method': OTHER, 'http.request.method_original': method }
}

/** Only where the server answered with one. */
function grpcStatus({ status, error }: LiveCall): Attributes {
  const code = error === undefined ? (status === 200 ? 'OK' : undefined) : grpcCode(error)
  return { 'rpc.status_code': code }
}

function collection(
  path: string | undefined,
): { readonly database: string; readonly name: string } | undefined {
  const [, database, name] = /^([^.]+)\.(.+)$/.exec(path ?? '') ?? []
  return database === undefined || name === undefined ? undefined : { database, name }
}
