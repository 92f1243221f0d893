import type { OperationInput } from '@tapdeck/api'
import { captureErrors, unfinished } from '@tapdeck/dissect'
import { isIp } from '@tapdeck/ip'
import { textLiteral } from '@tapdeck/kfl'

export type DiffGroupBy = OperationInput<'diff_api_calls'>['group_by']

const UNKNOWN = '(unknown)'
/** The suffixes of pods, as the index cuts them off for a workload. */
const POD_SUFFIX = '((-[a-f0-9]{6,10})?-[a-z0-9]{5}|-[0-9]+)'
const ID = '([0-9]+|[0-9a-fA-F-]{8,})'

/** Calls that failed; not those that the capture cut or that were still open at its end. */
export const FAILED = `has(error) and not (error in [${[...captureErrors, unfinished].map(textLiteral).join(', ')}])`

/** A filter that selects the calls of a group: what people would write to look at it. */
export function groupFilter(
  by: DiffGroupBy,
  { group, ns }: { readonly group: string; readonly ns?: string | undefined },
): string {
  const named = nameFilter(by, group)
  return ns === undefined ? named : `${named} and ${by === 'src' ? 'src' : 'dst'}.ns == ${textLiteral(ns)}`
}

function nameFilter(by: DiffGroupBy, group: string): string {
  const name = textLiteral(group)
  switch (by) {
    case 'service':
      return addressFilter(group) ?? `(dst.svc == ${name} or dst.svc == "" and dst.pod == ${name})`
    case 'workload':
      return (
        addressFilter(group) ??
        `(dst.pod == ${name} or dst.pod matches ${textLiteral(`^${escaped(group)}${POD_SUFFIX}$`)} or dst.pod == "" and dst.svc == ${name})`
      )
    case 'src':
    case 'dst':
      if (isIp(group)) return `${by}.ip == ${name} and ${by}.pod == "" and ${by}.svc == ""`
      return `(${by}.pod == ${name} or ${by}.pod == "" and ${by}.svc == ${name})`
    case 'path':
      if (group === UNKNOWN) return 'path == ""'
      if (!group.includes('{id}')) return `path == ${name}`
      return `path matches ${textLiteral(`^${group.split('{id}').map(escaped).join(ID)}$`)}`
    case 'status':
      return group === UNKNOWN ? 'not has(response.status)' : `response.status == ${name}`
    case 'proto':
      return `proto == ${name}`
    case 'node':
      return `(dst.node == ${name} or dst.node == "" and node_name == ${name})`
    case 'ns':
      return group === UNKNOWN ? 'dst.ns == ""' : `dst.ns == ${name}`
  }
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
