/** A first answer later than this many times the fastest is noticed by people. */
const SLOW_FACTOR = 20
const SLOW_US = 100_000

/** What was wrong with a TCP connection, by its counters, as sentences. */
export function tcpTroubles(tcp: Readonly<Record<string, number>>): readonly string[] {
  const {
    retransmissions = 0,
    out_of_order = 0,
    zero_window = 0,
    window_full = 0,
    resets = 0,
    overlap_conflicts = 0,
    handshake_us = 0,
    rtt_min_us = 0,
  } = tcp
  return [
    ...(retransmissions > 0
      ? [`${times(retransmissions, 'segment')} sent again: packets were lost or late.`]
      : []),
    ...(out_of_order > 0 ? [`${times(out_of_order, 'segment')} came out of order.`] : []),
    ...(zero_window > 0
      ? [`${times(zero_window, 'time')} a receiver had no space left: it reads too slowly.`]
      : []),
    ...(window_full > 0 ? [`${times(window_full, 'time')} a sender had to wait for the receiver.`] : []),
    ...(resets > 0 ? [`${times(resets, 'reset')}: one side broke the connection off.`] : []),
    ...(overlap_conflicts > 0
      ? [`${times(overlap_conflicts, 'segment')} repeated with other bytes: a fault, or an attack.`]
      : []),
    ...(handshake_us > SLOW_US && handshake_us > SLOW_FACTOR * rtt_min_us
      ? ['The handshake was slow: a lost SYN, or a full queue of the server.']
      : []),
  ]
}

function times(value: number, noun: string): string {
  return `${value} ${noun}${value === 1 ? '' : 's'}`
}
