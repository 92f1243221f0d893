import type { FlowHalf } from '../flows/flow-record.ts'
import type { PieceList } from '../piece-list.ts'

/** Window scale of a sender whose SYN was not seen, or had no such option. */
export const NO_SCALE = -1

/**
 * One end of a connection: what it sent, and what it acknowledged of the other end. Sequence numbers are 32-bit
 * integers that wrap; they are compared by the sign of their difference.
 */
export class TcpSender {
  /** Whether it is the high end of the table key. */
  readonly high: boolean
  readonly half: FlowHalf
  /** `next` and `max` mean something. */
  known = false
  /** The next byte to hand on. */
  next = 0
  /** The end of the furthest segment so far, and when it came. */
  max = 0
  maxTime = 0
  /** Nothing is odd about this end: a segment at `next` can be handed on without a second look. */
  calm = false
  synSeen = false
  initial = 0
  scale = NO_SCALE
  finSeen = false
  /** The sequence number of its FIN. */
  fin = 0
  finished = false
  /** The last acknowledgement it sent, when, and how often it was repeated. */
  acked = false
  ack = 0
  ackTime = 0
  duplicates = 0
  /** The window it offered last, in bytes. */
  window = 0
  /** How far its windows are shifted; unknown where a SYN is missing. */
  shift = NO_SCALE
  /** Its last segment was a keep-alive. */
  keepAlive = false
  /** When its first payload was handed on; 0 before. */
  firstData = 0
  /** What came before its turn, while there is such, and up to when what was handed on had arrived. */
  pieces: PieceList | undefined
  drained = 0
  /** Segments whose acknowledgement will be a round-trip sample: a list in `RoundTrips`. */
  timed = 0
  firstTimed = -1
  lastTimed = -1

  constructor(high: boolean, half: FlowHalf) {
    this.high = high
    this.half = half
  }

  /** Its stream is taken up at `seq`, where nothing was known of it before. */
  begin(seq: number, time: number): void {
    if (this.known) return
    this.known = true
    this.next = seq
    this.max = seq
    this.maxTime = time
  }
}
