import { deflateRawSync, gzipSync } from 'node:zlib'
import { type OperationName, operations } from '@tapdeck/api'
import { type Route, routes } from '../../http/routes.ts'
import { inputSchema } from '../../input/json-schema.ts'
import { expensiveFilters, repeat } from './expensive-filters.ts'

export interface ExpensiveRequest {
  readonly title: string
  readonly method: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
}

/** Values of about so many characters for any parameter. */
const values: Readonly<Record<string, (size: number) => string>> = {
  'a long word': (size) => repeat('a', size),
  'a long number': (size) => repeat('9', size),
  'many dots': (size) => repeat('1.', size),
  'many slashes': (size) => `${repeat('a/', size)}a`,
  'many blanks': (size) => `${repeat(' ', size)}x`,
  'many colons': (size) => repeat('f:', size),
  'many letters beyond ASCII': (size) => repeat('é', size),
  'a packed bomb': (size) => packed(Buffer.alloc(8_000_000, '[')).slice(0, size),
  'a packed object': (size) => packed(JSON.stringify({ db: '', progress: wide(size) })).slice(0, size),
}

const plainValues = ['a long word', 'a long number']

/** Every operation of the table with inputs of about `size` characters that are built to be expensive. */
export function* expensiveRequests(size: number): Generator<ExpensiveRequest> {
  for (const route of onePerOperation()) {
    yield* anyRoute(route, size)
    const properties = inputSchema(operations[route.operation].input).properties
    for (const [name, schema] of Object.entries(properties)) {
      const isFilter = name === 'kfl'
      const isText = schema.type === 'string' && schema.enum === undefined
      for (const [title, make] of Object.entries(isFilter ? expensiveFilters : values))
        if (isFilter || isText || plainValues.includes(title))
          yield request(route, `${name}: ${title}`, { [name]: made(title, make, size) })
      if (schema.type === 'array')
        for (const item of [1, '', {}, []])
          yield request(route, `${name}: a list of ${JSON.stringify(item)}`, {
            [name]: Array(Math.floor(size / (JSON.stringify(item).length + 1))).fill(item),
          })
    }
  }
  yield* imports(size)
}

const known = new Map<string, string>()

/** Some values cost more to make than to answer. */
function made(title: string, make: (size: number) => string, size: number): string {
  const key = `${title} ${size}`
  const value = known.get(key) ?? make(size)
  known.set(key, value)
  return value
}

function packed(data: string | Buffer): string {
  return deflateRawSync(data).toString('base64url')
}

function onePerOperation(): Route[] {
  const byOperation = new Map<OperationName, Route>()
  for (const route of routes) if (!byOperation.has(route.operation)) byOperation.set(route.operation, route)
  return [...byOperation.values()]
}

function* anyRoute(route: Route, size: number): Generator<ExpensiveRequest> {
  const plain = request(route, '', {})
  const query = (title: string, text: string): ExpensiveRequest => ({
    ...plain,
    title: `${route.operation}: ${title}`,
    path: `${plain.path}${plain.path.includes('?') ? '&' : '?'}${text}`,
  })
  const numbered = Array.from({ length: Math.floor(size / 7) }, (_, at) => `p${at}=1`).join('&')
  yield query('many parameters', numbered)
  yield query('one parameter again and again', repeat('a=1&', size))
  yield query('many empty parameters', repeat('&', size))
  yield query('a long name of a parameter', `${repeat('a', size)}=1`)
  yield query('many escapes', `a=${repeat('%41', size)}`)
  yield {
    ...plain,
    title: `${route.operation}: a long token`,
    headers: { authorization: `Bearer ${repeat('a.', size)}` },
  }
  yield { ...plain, title: `${route.operation}: many cookies`, headers: { cookie: repeat('a=b; ', size) } }
  if (route.method === 'GET' || route.method === 'DELETE' || operations[route.operation].bytes) return
  for (const [title, body] of [
    ['a deep body', `{"a":${'['.repeat(size / 2)}${']'.repeat(size / 2)}}`],
    ['a wide body', JSON.stringify(wide(size / 8))],
    ['an open body', repeat('{"a":', size)],
    ['a body of a long text', `"${repeat('\\"', size)}`],
  ] as const)
    yield { ...plain, title: `${route.operation}: ${title}`, body }
}

function request(route: Route, title: string, input: Record<string, unknown>): ExpensiveRequest {
  const rest = new Map(Object.entries(input))
  const path = route.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = rest.get(name) ?? 'x'
    rest.delete(name)
    return encodeURIComponent(wellFormed(String(value)))
  })
  const plain = { title: `${route.operation}: ${title}`, method: route.method, path }
  const takesBody = route.method !== 'GET' && route.method !== 'DELETE' && !operations[route.operation].bytes
  if (takesBody) return { ...plain, body: JSON.stringify({ name: 'x', ...Object.fromEntries(rest) }) }
  const query = new URLSearchParams()
  for (const [name, value] of rest) query.set(name, typeof value === 'string' ? value : JSON.stringify(value))
  if (route.operation === 'complete_kfl' && !rest.has('cursor'))
    query.set('cursor', String(String(input.kfl ?? '').length))
  if (route.operation === 'complete_kfl' && !rest.has('kfl')) query.set('kfl', 'path == ')
  // Live packets would have no end.
  if (route.operation === 'stream_packets' && !rest.has('end_time')) query.set('end_time', '1')
  return { ...plain, path: query.size > 0 ? `${path}?${query}` : path }
}

/** Captures that are small packed and large unpacked. */
function* imports(size: number): Generator<ExpensiveRequest> {
  const unpacked = size * 300
  const head = Buffer.from('0a0d0d0a1c0000004d3c2b1a01000000ffffffffffffffff1c000000', 'hex')
  const files: Readonly<Record<string, Buffer>> = {
    'a section of empty options': longBlock(0x0a0d0d0a, unpacked, Buffer.from('0f270000', 'hex')),
    'an interface of empty comments': longBlock(1, unpacked, Buffer.from('01000000', 'hex')),
    interfaces: Buffer.alloc(unpacked, Buffer.from('010000001400000001000000ffff000014000000', 'hex')),
    'damage that looks like blocks': Buffer.alloc(unpacked, Buffer.from('0600000040420f0001000000', 'hex')),
  }
  for (const [title, file] of Object.entries(files))
    yield {
      title: `import_snapshot: ${title}`,
      method: 'POST',
      path: `/api/snapshots/import-${title.replaceAll(' ', '-').slice(0, 40)}-${size}/import`,
      body: gzipSync(Buffer.concat([head, file])),
    }
}

function longBlock(type: number, size: number, option: Buffer): Buffer {
  const total = Math.floor(size / 4) * 4
  const block = Buffer.alloc(total, option)
  block.writeUInt32LE(type, 0)
  block.writeUInt32LE(total, 4)
  block.writeUInt32LE(type === 1 ? 1 : 0x1a2b3c4d, 8)
  block.writeUInt32LE(total, total - 4)
  return block
}

function wide(count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: Math.floor(count) }, (_, at) => [`k${at}`, '']))
}

function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '?')
}
