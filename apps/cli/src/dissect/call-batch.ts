import { LINE_MARKS } from '@tapdeck/dissect'
import type { Filed } from './spool-file.ts'

/** Whole numbers kept of each call, one after the other, beside the times and the flows; from `marks` on, by `LINE`. */
export const CALL = { end: 0, protocol: 1, service: 2, slot: 3, src: 4, dst: 5, marks: 6 } as const
export const CALL_NUMBERS = CALL.marks + LINE_MARKS

/**
 * Calls of one thread for the sorter, in columns and as lines of JSON. Plain data in buffers that can be
 * transferred between threads. Repeated texts are numbers of words; new words are part of the batch.
 */
export interface CallBatch {
  readonly count: number
  /** Of each call: the time of its request, and its flow. */
  readonly starts: Float64Array
  readonly flows: Float64Array
  /** Of each call, by `CALL`: where its line ends in `text`, its slot, and words. Lines may be put away already. */
  readonly numbers: Uint32Array<ArrayBuffer>
  readonly text: Uint8Array<ArrayBuffer> | Filed
  /** What there is to add to the calls of a slot (a flow, from one side) once it ended: slot and end, in turn. */
  readonly endings: Uint32Array
  readonly endingText: Uint8Array<ArrayBuffer>
  /** Slots of whose calls the responses are not acknowledged: slot and since when (microseconds), in turn. */
  readonly unacked: Float64Array
  /** Handshakes: service and microseconds, in turn. */
  readonly handshakes: Float64Array
  /** Addresses of DNS answers: see `DnsAnswers`. */
  readonly answers: Uint8Array<ArrayBuffer>
  readonly words: readonly string[]
}

/** All buffers of a batch, and what they come to. */
export function buffersOf(batch: CallBatch): { readonly buffers: ArrayBuffer[]; readonly bytes: number } {
  const { starts, flows, numbers, text, endings, endingText, unacked, handshakes, answers } = batch
  const views = [starts, flows, numbers, endings, endingText, unacked, handshakes, answers]
  if (text instanceof Uint8Array) views.push(text)
  const buffers = views.map(({ buffer }) => buffer as ArrayBuffer)
  return { buffers, bytes: buffers.reduce((sum, { byteLength }) => sum + byteLength, 0) }
}
