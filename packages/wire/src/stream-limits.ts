/** The limits of `Streams`. Times are microseconds of packet time. */
export interface StreamLimits {
  /** Flows in the table, including closed ones that are remembered; the longest idle are evicted for new ones. */
  readonly flows: number
  /** Bytes of out-of-order segments: of one direction, and of all flows. */
  readonly heldPerSide: number
  readonly held: number
  /** Memory and number of IP datagrams that wait for fragments. */
  readonly fragments: number
  readonly fragmentedDatagrams: number
  /** How long bytes after a gap wait for the missing ones. */
  readonly gapWait: number
  /**
   * The same if the other side has acknowledged the missing bytes: they may come later in the capture, if it had
   * several queues or was merged. A time, and a number of packets of the connection.
   */
  readonly lateWait: number
  readonly latePackets: number
  readonly fragmentWait: number
  readonly tcpIdle: number
  readonly udpIdle: number
  /** The idle time after one datagram and one answer. */
  readonly udpAnswered: number
  readonly sctpIdle: number
  readonly icmpIdle: number
  /** How long a connection is followed after a reset, or without its last acknowledgement. */
  readonly grace: number
  /** How long the ends of a closed flow are remembered, so that late packets do not open a new one. */
  readonly linger: number
}

const MIB = 1024 * 1024
const SECOND = 1_000_000

export const DEFAULT_STREAM_LIMITS: StreamLimits = {
  flows: 500_000,
  heldPerSide: MIB,
  held: 64 * MIB,
  fragments: 16 * MIB,
  fragmentedDatagrams: 4096,
  gapWait: 2 * SECOND,
  lateWait: SECOND / 5,
  latePackets: 64,
  fragmentWait: 30 * SECOND,
  tcpIdle: 300 * SECOND,
  udpIdle: 60 * SECOND,
  udpAnswered: 5 * SECOND,
  sctpIdle: 300 * SECOND,
  icmpIdle: 30 * SECOND,
  grace: SECOND,
  linger: 30 * SECOND,
}
