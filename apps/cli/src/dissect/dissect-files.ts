import { protocolNamed } from '@tapdeck/dissect'
import type { Resolver } from '@tapdeck/inventory'
import type { Filter } from '@tapdeck/kfl'
import type { Loss } from '@tapdeck/wire'
import { type CallShape, CallSheet } from './call-sheet.ts'
import { CaptureSequence } from './capture-sequence.ts'
import { type ReadListener, type ReadResult, readCaptures } from './read-captures.ts'

export interface Dissected extends ReadResult {
  readonly sheet: CallSheet
  readonly loss: Loss
  readonly elapsedMs: number
}

/** Files → calls, without any server. The caller closes the sheet. */
export async function dissectFiles(
  files: readonly string[],
  settings: { readonly resolver: Resolver; readonly filter: Filter; readonly shape: CallShape },
  listener: ReadListener & { fault(protocol: string, error: unknown): void },
): Promise<Dissected> {
  const started = performance.now()
  const loss: Loss = {}
  const sheet = new CallSheet(settings.resolver, settings.filter, settings.shape)
  const sequence = new CaptureSequence({
    loss,
    emit: (call) => sheet.addCall(call),
    flow: (flow) => sheet.addFlow(flow),
    fault: (error, protocol) => listener.fault(protocolNamed(protocol)?.title ?? protocol, error),
  })
  const read = await readCaptures(files, sequence, loss, listener)
  sequence.end()
  return { ...read, sheet, loss, elapsedMs: performance.now() - started }
}
