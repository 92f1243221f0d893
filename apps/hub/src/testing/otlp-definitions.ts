import { createRequire } from 'node:module'
import { isDeepStrictEqual } from 'node:util'

/** What protobufjs makes of a message type; the package has no types for these. */
interface MessageType {
  verify(message: object): string | null
  fromObject(object: object): object
  encode(message: object): { finish(): Uint8Array }
  decode(bytes: Uint8Array): object
  toObject(message: object, options: object): object
}
interface Service {
  readonly v1: Readonly<Record<string, MessageType>>
}

/** OpenTelemetry's own protobuf definitions, as published in `@opentelemetry/otlp-transformer`. */
const { opentelemetry } = createRequire(import.meta.url)('otlp-definitions/build/src/generated/root.js') as {
  readonly opentelemetry: {
    readonly proto: { readonly collector: { readonly trace: Service; readonly metrics: Service } }
  }
}
const { trace, metrics } = opentelemetry.proto.collector
const requests = {
  '/v1/traces': trace.v1.ExportTraceServiceRequest!,
  '/v1/metrics': metrics.v1.ExportMetricsServiceRequest!,
}

/** Bytes in JSON are base64, except these: OTLP has them in hexadecimal. */
const ID_LENGTHS: Readonly<Record<string, number>> = { traceId: 32, spanId: 16, parentSpanId: 16 }

export class NotOtlp extends Error {
  override readonly name = 'NotOtlp'
}

/**
 * Reads a request in OTLP's JSON encoding by the official definitions, and returns what they make of it: 64-bit numbers
 * as text, enums as numbers, ids in hexadecimal. Throws `NotOtlp` where a field is unknown, or has another type or name.
 */
export function readOtlp(path: string, body: unknown): unknown {
  const type = Object.entries(requests).find(([end]) => path.endsWith(end))?.[1]
  if (type === undefined) throw new NotOtlp(`no such path: ${path}`)
  if (typeof body !== 'object' || body === null) throw new NotOtlp('expected an object')
  const message = type.fromObject(withBytes(body) as object)
  const problem = type.verify(message)
  if (problem !== null) throw new NotOtlp(problem)
  const decoded = type.decode(type.encode(message).finish())
  const read = plainOf(type.toObject(decoded, { longs: String, enums: Number, json: false }))
  // What the definitions do not know, or read as something else, is lost on the way.
  const lost = firstDifference(comparable(body), comparable(read), '')
  if (lost !== undefined) throw new NotOtlp(`not as in the definitions: ${lost}`)
  return read
}

function withBytes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withBytes)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => {
      const length = ID_LENGTHS[name]
      if (length === undefined || one === undefined || one === '') return [name, withBytes(one)]
      if (typeof one !== 'string' || !/^[0-9a-f]+$/.test(one) || one.length !== length)
        throw new NotOtlp(`${name} is not ${length} hexadecimal digits: ${one}`)
      return [name, Buffer.from(one, 'hex')]
    }),
  )
}

function plainOf(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex')
  if (Array.isArray(value)) return value.map(plainOf)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, plainOf(one)]))
}

/** Numbers as text, because JSON may have those of 64 bits as either; an empty list is the same as none. */
function comparable(value: unknown): unknown {
  if (typeof value === 'number') return String(value)
  if (Array.isArray(value)) return value.map(comparable)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).filter(
    ([, one]) => one !== undefined && !(Array.isArray(one) && one.length === 0),
  )
  return Object.fromEntries(entries.map(([name, one]) => [name, comparable(one)]))
}

function firstDifference(given: unknown, read: unknown, at: string): string | undefined {
  if (isDeepStrictEqual(given, read)) return undefined
  const isNested = (value: unknown) => typeof value === 'object' && value !== null
  if (!isNested(given) || !isNested(read))
    return `${at}: ${JSON.stringify(given)} is read as ${JSON.stringify(read)}`
  const [left, right] = [given, read] as Record<string, unknown>[]
  for (const name of new Set([...Object.keys(left!), ...Object.keys(right!)])) {
    const found = firstDifference(left![name], right![name], `${at}/${name}`)
    if (found !== undefined) return found
  }
  return at
}
