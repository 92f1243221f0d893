/** Bits of the flags byte (RFC 9293). */
export const FIN = 1
export const SYN = 2
export const RST = 4
export const ACK = 16

/** What has been seen of a connection, as the bits of `TcpMetrics.completeness`. */
export const SEEN = { syn: 1, synAck: 2, ack: 4, data: 8, fin: 16, rst: 32 } as const
