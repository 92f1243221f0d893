import { canonicalIp, parseIpBlock } from '@tapdeck/ip'
import type { Inventory, Node, Owner, Pod, Service, ServiceEndpoint } from './inventory.ts'
import { InventoryError } from './inventory-error.ts'

/**
 * A file's or a request's value → an inventory, addresses in their canonical spelling. `pods` and `services` may be
 * left out; times are Unix milliseconds or RFC 3339. Throws `InventoryError`.
 */
export function parseInventory(value: unknown): Inventory {
  const fields = object(value, '', ['pods', 'services', 'nodes', 'source'])
  const nodes = list(fields.nodes, 'nodes', parseNode)
  return {
    pods: list(fields.pods, 'pods', parsePod),
    services: list(fields.services, 'services', parseService),
    ...(nodes.length > 0 && { nodes }),
  }
}

export function parseNode(value: unknown, path: string): Node {
  const fields = object(value, path, ['name', 'ips', 'deviceIps', 'podCIDRs', 'uid', 'from', 'until'])
  return {
    name: text(fields.name, `${path}.name`),
    ips: list(fields.ips, `${path}.ips`, address),
    ...optional(fields, 'deviceIps', path, (ips, at) => list(ips, at, address)),
    ...optional(fields, 'podCIDRs', path, (blocks, at) => list(blocks, at, addressBlock)),
    ...optional(fields, 'uid', path, text),
    ...window(fields, path),
  }
}

export function parsePod(value: unknown, path: string): Pod {
  const fields = object(value, path, [
    'name',
    'namespace',
    'ips',
    'ports',
    'node',
    'labels',
    'annotations',
    'owners',
    'uid',
    'from',
    'until',
  ])
  return {
    name: text(fields.name, `${path}.name`),
    namespace: text(fields.namespace, `${path}.namespace`),
    ips: list(fields.ips, `${path}.ips`, address),
    ...optional(fields, 'ports', path, ports),
    ...optional(fields, 'node', path, text),
    ...optional(fields, 'labels', path, labels),
    ...optional(fields, 'annotations', path, annotations),
    ...optional(fields, 'owners', path, (owners, at) => list(owners, at, parseOwner)),
    ...optional(fields, 'uid', path, text),
    ...window(fields, path),
  }
}

function parseOwner(value: unknown, path: string): Owner {
  const fields = object(value, path, ['kind', 'name'])
  return { kind: text(fields.kind, `${path}.kind`), name: text(fields.name, `${path}.name`) }
}

export function parseService(value: unknown, path: string): Service {
  const fields = object(value, path, [
    'name',
    'namespace',
    'ips',
    'ports',
    'nodePorts',
    'externalName',
    'endpoints',
    'labels',
    'annotations',
    'uid',
    'from',
    'until',
  ])
  return {
    name: text(fields.name, `${path}.name`),
    namespace: text(fields.namespace, `${path}.namespace`),
    ...optional(fields, 'ips', path, (ips, at) => list(ips, at, address)),
    ...optional(fields, 'ports', path, ports),
    ...optional(fields, 'nodePorts', path, ports),
    ...optional(fields, 'externalName', path, text),
    ...optional(fields, 'endpoints', path, (ends, at) => list(ends, at, parseEndpoint)),
    ...optional(fields, 'labels', path, labels),
    ...optional(fields, 'annotations', path, annotations),
    ...optional(fields, 'uid', path, text),
    ...window(fields, path),
  }
}

function parseEndpoint(value: unknown, path: string): ServiceEndpoint {
  const fields = object(value, path, ['ip', 'ports', 'from', 'until'])
  return {
    ip: address(fields.ip, `${path}.ip`),
    ...optional(fields, 'ports', path, ports),
    ...window(fields, path),
  }
}

type Read<Kind> = (value: unknown, path: string) => Kind

function optional<Key extends string, Kind>(
  fields: Readonly<Record<string, unknown>>,
  key: Key,
  path: string,
  read: Read<Kind>,
): { [Name in Key]?: Kind } {
  const value = fields[key]
  if (value === undefined || value === null) return {}
  return { [key]: read(value, `${path}.${key}`) } as { [Name in Key]: Kind }
}

function window(fields: Readonly<Record<string, unknown>>, path: string): { from?: number; until?: number } {
  const times = { ...optional(fields, 'from', path, instant), ...optional(fields, 'until', path, instant) }
  if (times.from !== undefined && times.until !== undefined && times.until < times.from)
    throw new InventoryError(`${path}.until`, 'lies before `from`')
  return times
}

function object(value: unknown, path: string, known: readonly string[]): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new InventoryError(path, `expected an object with ${known.join(', ')}, not ${kindOf(value)}`)
  for (const key of Object.keys(value))
    if (!known.includes(key))
      throw new InventoryError(
        path === '' ? key : `${path}.${key}`,
        `unknown key; known are ${known.join(', ')}`,
      )
  return value as Readonly<Record<string, unknown>>
}

function list<Kind>(value: unknown, path: string, read: Read<Kind>): Kind[] {
  if (value === undefined || value === null) return []
  if (!Array.isArray(value)) throw new InventoryError(path, `expected a list, not ${kindOf(value)}`)
  return value.map((item, at) => read(item, `${path}[${at}]`))
}

function text(value: unknown, path: string): string {
  if (typeof value !== 'string' || value === '' || value.length > 253)
    throw new InventoryError(path, `expected a text of 1 to 253 characters, not ${kindOf(value)}`)
  return value
}

function address(value: unknown, path: string): string {
  const ip = typeof value === 'string' ? canonicalIp(value) : undefined
  if (ip === undefined)
    throw new InventoryError(path, `expected an IPv4 or IPv6 address, not ${kindOf(value)}`)
  return ip
}

function addressBlock(value: unknown, path: string): string {
  const block = typeof value === 'string' && value.includes('/') ? parseIpBlock(value) : undefined
  if (block === undefined)
    throw new InventoryError(path, `expected a block such as 10.244.1.0/24, not ${kindOf(value)}`)
  return `${block.text}/${block.bits}`
}

function ports(value: unknown, path: string): number[] {
  return list(value, path, portNumber)
}

function portNumber(value: unknown, path: string): number {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 1 || value > 65_535)
    throw new InventoryError(path, `expected a port from 1 to 65535, not ${kindOf(value)}`)
  return value
}

function labels(value: unknown, path: string): Record<string, string> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new InventoryError(path, `expected an object of texts, not ${kindOf(value)}`)
  return Object.fromEntries(
    Object.entries(value).map(([key, label]) => {
      if (typeof label !== 'string')
        throw new InventoryError(`${path}.${key}`, `expected a text, not ${kindOf(label)}`)
      return [key, label]
    }),
  )
}

/** Annotations may hold whole documents; those are nothing to filter by, and are left out. */
const MAX_ANNOTATION_LENGTH = 1024

function annotations(value: unknown, path: string): Record<string, string> {
  const short = Object.entries(labels(value, path)).filter(([, text]) => text.length <= MAX_ANNOTATION_LENGTH)
  return Object.fromEntries(short)
}

function instant(value: unknown, path: string): number {
  const time = typeof value === 'string' ? Date.parse(value) : value
  if (typeof time !== 'number' || !Number.isFinite(time) || time < 0)
    throw new InventoryError(path, `expected Unix milliseconds or an RFC 3339 time, not ${kindOf(value)}`)
  return time
}

function kindOf(value: unknown): string {
  if (value === undefined) return 'nothing'
  return JSON.stringify(value)?.slice(0, 60) ?? typeof value
}
