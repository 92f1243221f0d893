import type { OperationRequest } from '@tapdeck/api'
import type { HubClient } from '../hub/hub-client.ts'
import { WholeBlocks } from './whole-blocks.ts'

export interface PacketLimits {
  readonly count?: number | undefined
  readonly signal: AbortSignal
}

/**
 * Reads packets of a hub, whole blocks at a time, until the window ends, `count` is reached or `signal` is aborted. Resolves to the
 * number of packets.
 */
export async function readPackets(
  hub: HubClient,
  request: OperationRequest<'stream_packets'>,
  { count, signal }: PacketLimits,
  take: (blocks: Buffer) => Promise<void>,
): Promise<number> {
  const enough = new AbortController()
  const until = AbortSignal.any([signal, enough.signal])
  const blocks = new WholeBlocks(count)
  const client = hub.until(until)
  try {
    const { body } = await client.send('stream_packets', request)
    try {
      for await (const chunk of body as AsyncIterable<Uint8Array>) {
        const whole = blocks.push(chunk)
        if (whole.length > 0) await take(whole)
        if (blocks.isFull) break
      }
    } catch (error) {
      until.throwIfAborted()
      client.brokeOff(error)
    }
  } catch (error) {
    if (!signal.aborted) throw error
  } finally {
    enough.abort()
  }
  return blocks.packets
}
