import type { TcpMetrics } from '../flow.ts'
import type { FlowRecord } from '../flows/flow-record.ts'
import { TcpSender } from './tcp-sender.ts'

/** A TCP flow while it is followed. */
export class TcpConnection {
  readonly flow: FlowRecord
  readonly metrics: TcpMetrics
  readonly low: TcpSender
  readonly high: TcpSender
  /** Where it stands in the flow table. */
  index = -1
  /** A SYN was seen, but not yet the acknowledgement that completes the handshake. */
  handshaking = false
  /** The end that has reset it; what the other had under way may still come. */
  resetBy: TcpSender | undefined
  /** Microseconds of silence after which it is over. */
  patience: number
  /** Times of the first and of the last SYN of the client. */
  firstSyn = 0
  lastSyn = 0
  /** The first byte of the answer has been timed. */
  answered = false
  /** Sums behind the round-trip figures. */
  rttSum = 0
  lastRtt = 0
  jitter = 0

  constructor(flow: FlowRecord, metrics: TcpMetrics, patience: number) {
    this.flow = flow
    this.patience = patience
    this.metrics = metrics
    this.low = new TcpSender(false, flow.halves[flow.side(false)])
    this.high = new TcpSender(true, flow.halves[flow.side(true)])
  }

  /** The other end. */
  peer(sender: TcpSender): TcpSender {
    return sender.high ? this.low : this.high
  }
}
