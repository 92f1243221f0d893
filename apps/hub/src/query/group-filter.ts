import { isIp } from '@tapdeck/ip'
import { textLiteral } from '@tapdeck/kfl'
import type { GroupName, StatsDimension } from '@tapdeck/questions'

export type FilterDimension = Exclude<StatsDimension, 'time'>

const UNKNOWN = '(unknown)'
const NO_ERROR = '(none)'
/** The suffixes of pods, as the index cuts them off where the workload of a pod is not known. */
const POD_SUFFIX = '((-[a-f0-9]{6,10})?-[a-z0-9]{5}|-[0-9]+)'
const ID = '([0-9]+|[0-9a-fA-F-]{8,})'

/** Calls that failed; not those that the capture cut or that were still open at its end. */
export const FAILED = 'failed'

/** All of these filters. Empty ones do not count. */
export function allOf(...filters: readonly string[]): string {
  const given = filters.filter((filter) => filter.trim() !== '')
  if (given.length < 2) return given.join('')
  return given.map((filter) => (/\bor\b|\|\|/.test(filter) ? `(${filter})` : filter)).join(' and ')
}

/** A filter that selects the calls of a group: what people would write to look at it. */
export function groupFilter(
  by: FilterDimension,
  { group, ns }: { readonly group: string; readonly ns?: string | undefined },
): string {
  const named = nameFilter(by, group)
  return ns === undefined
    ? named
    : `${named} and ${by.startsWith('src') ? 'src' : 'dst'}.ns == ${textLiteral(ns)}`
}

/** The same for a group of several dimensions. A time is no filter: it is a window. */
export function partsFilter(dimensions: readonly StatsDimension[], parts: readonly GroupName[]): string {
  const conditions = dimensions.flatMap((by, at) => {
    const part = parts[at]
    return by === 'time' || part === undefined ? [] : groupFilter(by, part)
  })
  return conditions.join(' and ')
}

function nameFilter(by: FilterDimension, group: string): string {
  const name = textLiteral(group)
  switch (by) {
    case 'service':
      return addressFilter(group) ?? `(dst.svc == ${name} or dst.svc == "" and dst.pod == ${name})`
    case 'workload':
      return addressFilter(group) ?? workloadFilter('dst', group)
    case 'src_service':
      return isIp(group)
        ? bareAddress('src', group)
        : `(src.svc == ${name} or src.svc == "" and src.pod == ${name})`
    case 'src_workload':
      return isIp(group) ? bareAddress('src', group) : workloadFilter('src', group)
    case 'src':
    case 'dst':
      if (isIp(group)) return bareAddress(by, group)
      return `(${by}.pod == ${name} or ${by}.pod == "" and ${by}.svc == ${name})`
    case 'path':
      if (group === UNKNOWN) return 'path == ""'
      if (!group.includes('{id}')) return `path == ${name}`
      return `path matches ${textLiteral(`^${group.split('{id}').map(escaped).join(ID)}$`)}`
    case 'status':
      return group === UNKNOWN ? 'not has(response.status)' : `response.status == ${name}`
    case 'proto':
      return `proto == ${name}`
    case 'method':
      return group === UNKNOWN ? 'method == ""' : `method == ${name}`
    case 'error':
      return group === NO_ERROR ? 'not has(error)' : `error == ${name}`
    case 'connection_end':
      return group === UNKNOWN ? 'not has(connection_end)' : `connection_end == ${name}`
    case 'node':
    case 'src_node': {
      const end = by === 'node' ? 'dst' : 'src'
      return `(${end}.node == ${name} or ${end}.node == "" and node_name == ${name})`
    }
    case 'ns':
    case 'src_ns': {
      const end = by === 'ns' ? 'dst' : 'src'
      return group === UNKNOWN ? `${end}.ns == ""` : `${end}.ns == ${name}`
    }
  }
}

/** An address that nothing better is known of. */
function bareAddress(end: 'src' | 'dst', ip: string): string {
  return `${end}.ip == ${textLiteral(ip)} and ${end}.pod == "" and ${end}.svc == ""`
}

function workloadFilter(end: 'src' | 'dst', workload: string): string {
  const name = textLiteral(workload)
  const pods = textLiteral(`^${escaped(workload)}${POD_SUFFIX}$`)
  const byPod = `${end}.pod == ${name} or ${end}.pod matches ${pods} or ${end}.pod == "" and ${end}.svc == ${name}`
  return `(${end}.workload == ${name} or ${end}.workload == "" and (${byPod}))`
}

/** A group that is named after an address, `10.0.0.1:80`, since nothing better was known of it. IPv6 has colons of its own. */
function addressFilter(group: string): string | undefined {
  const colon = group.lastIndexOf(':')
  const port = group.slice(colon + 1)
  const ip = group.slice(0, Math.max(colon, 0))
  if (!isIp(ip) || !/^\d{1,5}$/.test(port)) return undefined
  return `dst.ip == ${textLiteral(ip)} and dst.port == ${port} and dst.pod == "" and dst.svc == ""`
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
}
