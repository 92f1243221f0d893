import type { OperationOutput } from '@tapdeck/api'
import type { Terminal } from '../output/terminal.ts'

/** Says that traffic indexing is paused, and how to resume it. `result`: what that means for the command. */
export function notePaused(
  terminal: Terminal,
  indexing: OperationOutput<'list_api_calls'>['indexing'],
  result: string,
): void {
  if (indexing === undefined || indexing.enabled) return
  const since = indexing.since === undefined ? '' : ` since ${indexing.since}`
  terminal.note(`Traffic indexing is paused${since}: ${result} Resume it with \`tapdeck switch on\`.`)
}
