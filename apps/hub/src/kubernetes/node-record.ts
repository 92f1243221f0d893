import { parseIpBlock } from '@tapdeck/ip'
import { z } from 'zod'
import { metadata, timeOf } from './api-object.ts'
import { addresses } from './pod-record.ts'

const condition = z.object({
  type: z.string(),
  status: z.string(),
  reason: z.string().nullish(),
  message: z.string().nullish(),
  lastTransitionTime: z.string().nullish(),
})
const node = z.object({
  metadata,
  spec: z
    .object({
      unschedulable: z.boolean().nullish(),
      podCIDRs: z.array(z.string()).nullish(),
      taints: z
        .array(z.object({ key: z.string(), value: z.string().nullish(), effect: z.string() }))
        .nullish(),
    })
    .nullish(),
  status: z
    .object({
      addresses: z.array(z.object({ type: z.string(), address: z.string() })).nullish(),
      conditions: z.array(condition).nullish(),
    })
    .nullish(),
})

export interface NodeCondition {
  readonly type: string
  readonly status: string
  readonly reason: string
  readonly message: string
}

export interface Taint {
  readonly key: string
  readonly value: string
  readonly effect: string
}

/** What is kept of a node. */
export interface NodeRecord {
  readonly uid: string
  readonly name: string
  readonly ips: readonly string[]
  readonly labels: Readonly<Record<string, string>>
  readonly podCIDRs: readonly string[]
  readonly unschedulable: boolean
  readonly taints: readonly Taint[]
  readonly conditions: readonly NodeCondition[]
  readonly from: number | undefined
}

export function nodeRecord(object: unknown): NodeRecord {
  const { metadata: about, spec, status } = node.parse(object)
  const own = (status?.addresses ?? []).filter(({ type }) => type === 'InternalIP' || type === 'ExternalIP')
  return {
    uid: about.uid,
    name: about.name,
    ips: addresses(own.map(({ address }) => address)),
    labels: about.labels ?? {},
    podCIDRs: (spec?.podCIDRs ?? []).flatMap(block),
    unschedulable: spec?.unschedulable === true,
    taints: (spec?.taints ?? []).map(({ key, value, effect }) => ({ key, value: value ?? '', effect })),
    conditions: (status?.conditions ?? []).map(({ type, status: state, reason, message }) => ({
      type,
      status: state,
      reason: reason ?? '',
      message: (message ?? '').slice(0, 300),
    })),
    from: timeOf(about.creationTimestamp),
  }
}

function block(text: string): string[] {
  const parsed = text.includes('/') ? parseIpBlock(text) : undefined
  return parsed === undefined ? [] : [`${parsed.text}/${parsed.bits}`]
}
