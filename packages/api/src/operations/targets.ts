import { z } from 'zod'
import { operation } from '../operation.ts'
import { limit, none } from './inputs.ts'

const MAX_NAMES = 1000
const namespace = z.string().min(1).max(253)

const regex = z
  .string()
  .max(1000)
  .refine(isPattern, 'expected a regular expression such as ^shop-')
  .describe('Only pods whose name matches are indexed')
const namespaces = z.array(namespace).max(MAX_NAMES).describe('Only pods of these namespaces; empty: all')
const excluded = z.array(namespace).max(MAX_NAMES).describe('Not pods of these namespaces')

const choice = {
  regex: regex.optional(),
  namespaces: namespaces.optional(),
  excluded_namespaces: excluded.optional(),
}

const targets = z.object({
  regex: z.string(),
  namespaces: z.array(z.string()),
  excluded_namespaces: z.array(z.string()),
  bpf: z.string().describe('Only packets that match this expression are captured; empty: all'),
  source: z
    .enum(['configuration', 'caller'])
    .describe('Whether the values are those of the configuration or were set by a caller'),
})

const pods = {
  pods: z.array(z.object({ name: z.string(), namespace: z.string(), node: z.string().optional() })),
  total: z.number().describe('Pods that match now'),
}

/** Which pods are indexed, and which packets are captured at all. */
export const targeting = {
  get_targets: operation({
    title: 'Which pods are indexed?',
    description: 'What is indexed and captured now, and the pods that match.',
    method: 'GET',
    path: '/targets',
    interfaces: ['api'],
    capability: 'dissection:live',
    scope: 'refused',
    input: z.object({ limit: limit(10_000, 100) }),
    output: targets.extend(pods),
  }),
  preview_targets: operation({
    title: 'Which pods would be indexed?',
    description: 'The pods that match other targets. Nothing changes.',
    method: 'POST',
    path: '/targets/preview',
    interfaces: ['api'],
    capability: 'dissection:live',
    scope: 'refused',
    input: z.object({ ...choice, limit: limit(10_000, 100) }),
    output: z.object(pods),
  }),
  set_targets: operation({
    title: 'Choose the pods that are indexed',
    description:
      'Replaces tap.regex, tap.namespaces, tap.excludedNamespaces and tap.bpfOverride at once on all nodes, until a reset or until the configuration of these keys changes. What is left out stays as it is.',
    method: 'PUT',
    path: '/targets',
    interfaces: ['api'],
    capability: 'pods:target:write',
    changes: true,
    scope: 'refused',
    input: z.object({
      ...choice,
      bpf: z.string().max(8192).optional().describe('A BPF expression (pcap-filter); empty: all packets'),
    }),
    output: targets.extend(pods),
  }),
  reset_targets: operation({
    title: 'Index the pods of the configuration again',
    description: 'Undoes set_targets.',
    method: 'DELETE',
    path: '/targets',
    interfaces: ['api'],
    capability: 'pods:target:write',
    changes: true,
    scope: 'refused',
    input: none,
    output: targets.extend(pods),
  }),
} as const

function isPattern(text: string): boolean {
  try {
    new RegExp(text)
    return true
  } catch {
    return false
  }
}
