/** The ceilings of `Streams`. Times are microseconds of packet time. */
export interface StreamLimits {
  /** Flows that are followed at once, with those that only linger; the longest idle are closed for new ones. */
  readonly flows: number
  /** Memory for segments that came too early, of one direction of a flow and of all flows. */
  readonly heldPerSide: number
  readonly held: number
  /** Memory and number of IP datagrams that wait for fragments. */
  readonly fragments: number
  readonly fragmentedDatagrams: number
  /** How long bytes behind a hole wait for those in it. */
  readonly gapWait: number
  /**
   * The same where the other side has acknowledged those in it: they may stand later in the capture, which had several
   * queues or was merged. So long, and so many packets of the connection.
   */
  readonly lateWait: number
  readonly latePackets: number
  readonly fragmentWait: number
  readonly tcpIdle: number
  readonly udpIdle: number
  /** The same where one datagram was answered by one, and no more came. */
  readonly udpAnswered: number
  readonly sctpIdle: number
  readonly icmpIdle: number
  /** How long a connection that was reset, or whose last acknowledgement is missing, is followed on. */
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
