import type { OperationParameters } from '../../client/call-operation.ts'

type Action = NonNullable<OperationParameters<'create_agent'>['actions']>[number]

export const actionKinds = [
  { kind: 'log', title: 'Write a log line', asks: undefined, example: undefined },
  {
    kind: 'webhook',
    title: 'Send to a webhook',
    asks: 'Address',
    example: 'https://hooks.example.com/tapdeck',
  },
  { kind: 'metric', title: 'Count in a metric', asks: 'Name of the metric', example: 'failed_orders' },
  { kind: 'recording', title: 'Start a recording', asks: 'Name of the recording', example: 'incident' },
  {
    kind: 'script',
    title: 'Run a script',
    asks: 'JavaScript',
    example: 'function onCall(call) { emit({ log: call.path }) }',
  },
] as const

export type ActionKind = (typeof actionKinds)[number]['kind']

/** The action of what was typed, or why there is none yet. The hub checks the rest. */
export function draftAction(
  kind: ActionKind,
  typed: string,
): { readonly action?: Action; readonly problem?: string } {
  const value = typed.trim()
  if (kind !== 'log' && value === '') return { problem: 'Complete the action.' }
  switch (kind) {
    case 'log':
      return { action: { kind } }
    case 'webhook':
      return /^https?:\/\//.test(value)
        ? { action: { kind, url: value } }
        : { problem: 'A webhook goes to an http or https address.' }
    case 'metric':
      return { action: { kind, type: 'counter', name: value } }
    case 'recording':
      return { action: { kind, do: 'start', recording: value } }
    case 'script':
      return { action: { kind, source: value } }
  }
}
