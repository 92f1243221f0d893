import type { FieldValue } from '../../contract/message.ts'
import type { Body } from '../../message/body.ts'
import type { ChunkLine } from './frame.ts'
import type { Phase } from './phase.ts'

/** One side of a connection: where it is in its message. */
export class SideState implements ChunkLine {
  phase: Phase = 'head'
  /** Bytes of an unfinished head in which no end was found, and how many of it passed for a head. */
  scanned = 0
  checked = 0
  /** Length of the head that was measured; 0: those were empty lines. */
  headLength = 0
  /** What follows that head, and how long it is where that is known beforehand. */
  next: Phase = 'head'
  length = 0
  lineLength = 0
  chunkSize = 0
  lineBreak = 2
  /** A response's head that waits for its body. */
  head: Uint8Array | undefined
  /** Of a request's head: `Message.marks`. */
  marks = 0
  /** A segment of its path may be `graphql`. */
  mayNameGraphql = true
  /** Where in a request's head the value of its content type stands; -1: nowhere. */
  typeStart = -1
  typeEnd = -1
  /** When the head came, where something else of the same message came before it. */
  headTime: number | undefined
  /** A request's head that went ahead of its body. */
  ahead: Uint8Array | undefined
  fields: { [name: string]: FieldValue } | undefined
  /** A body that comes in chunks. */
  body: Body | undefined

  /** Nothing of it matters for what comes next. */
  get isAtRest(): boolean {
    return (
      this.phase === 'head' &&
      this.scanned === 0 &&
      this.checked === 0 &&
      this.fields === undefined &&
      this.headTime === undefined
    )
  }
}

const MAX_SPARE = 16
const spare: SideState[] = []
let idle = new SideState()

/**
 * Stands for all sides that are at rest, as most are at any time: between two messages a side needs no room of its own. What
 * is noted here while a head is measured is used when it is decoded, right after.
 */
export function idleState(): SideState {
  return idle
}

/** The idle one is now in use, with all that was noted in it. */
export function keepState(): SideState {
  const kept = idle
  idle = spare.pop() ?? new SideState()
  return kept
}

/** One that is at rest is not needed any more. */
export function releaseState(state: SideState): void {
  if (spare.length < MAX_SPARE) spare.push(state)
}
