import { SkippedCalls, type WorkerMessage } from '@tapdeck/api'
import type { LiveCallsMessage } from './live-message.ts'
import type { Batch } from './subscription.ts'

/** A batch of a subscription as it is sent, with what is missed if it is not. */
export function liveCallsMessage(subscription: number, batch: Batch): LiveCallsMessage {
  const message: WorkerMessage = { kind: 'calls', subscription, ...batch }
  const unsent = new SkippedCalls()
  unsent.add(batch)
  unsent.addCalls(batch.calls)
  return { kind: 'calls', subscription, text: JSON.stringify(message), unsent: unsent.take() }
}
