import { END_COUNTS, FLOW_COUNTS } from '../flows/flow-counter-table.ts'

/**
 * The layout of the row of a connection: its low end, its high end, then what both share. Each of the three is addressed
 * by the index of its first integer; the index of its first double is half of that.
 */

/** Doubles of an end after its counters: times of its furthest segment, its last acknowledgement, its first payload. */
export const MAX_TIME = END_COUNTS
export const ACK_TIME = END_COUNTS + 1
/** 0 before. */
export const FIRST_DATA = END_COUNTS + 2
/** The time of the last delivered bytes, if some came out of order. */
export const DRAINED = END_COUNTS + 3
const END_DOUBLES = END_COUNTS + 4

/** The next byte to deliver. Sequence numbers are 32-bit integers that wrap; the sign of their difference compares them. */
export const NEXT = 2 * END_DOUBLES
/** The end of the furthest segment so far. */
export const MAX = NEXT + 1
/** Of its SYN. */
export const INITIAL = NEXT + 2
/** Of its FIN. */
export const FIN_AT = NEXT + 3
/** The last acknowledgement it sent, and how often it was repeated. */
export const ACKED_TO = NEXT + 4
export const DUPLICATES = NEXT + 5
/** The window it offered last, in bytes. */
export const WINDOW = NEXT + 6
/** The window scale option of its SYN, and the shift in use. */
export const SCALE = NEXT + 7
export const SHIFT = NEXT + 8
/** Segments whose acknowledgement will be a round-trip sample: a list in `RoundTrips`. */
export const TIMED = NEXT + 9
export const FIRST_TIMED = NEXT + 10
export const LAST_TIMED = NEXT + 11
/** Bits, see below. */
export const END = NEXT + 12
/** The newest IPv4 identification of its packets. */
export const LAST_ID = NEXT + 13
/** How many segments of it were delivered, and the first bytes of the last ones: see `noteDelivered`. */
export const RECENT = NEXT + 14
export const RECENT_SEGMENTS = NEXT + 15
/** Integers of `RECENT_SEGMENTS`. */
export const RECENT_INTS = 24
/** A bit for each of the last 32 identifications: whether a packet with it was taken. */
export const SEEN_IDS = RECENT_SEGMENTS + RECENT_INTS
/** Words of eight bytes that an end takes. */
export const END_WORDS = END_DOUBLES + (15 + RECENT_INTS + 1) / 2

/** `NEXT` and `MAX` mean something. */
export const KNOWN = 1
/** A segment at `NEXT` can be delivered at once. */
export const FAST_PATH = 2
export const SYN_SEEN = 4
export const FIN_SEEN = 8
/** All bytes before its FIN were delivered. */
export const FINISHED = 16
export const ACKED = 32
/** Its last segment was a keep-alive. */
export const KEPT_ALIVE = 64
/** It has held bytes: bytes after a gap, or bytes that acknowledge what was not captured of the other end. */
export const HOLDS = 128
/** The other end acknowledged bytes of it that were not captured in time, and nothing came since. */
export const ACKED_UNSEEN = 256
/** Its packets are followed as they are inside of a tunnel; those outside are copies, and the other way round. */
export const IN_TUNNEL = 512
/** A packet of it was taken, so that `IN_TUNNEL` and `LAST_ID` mean something. */
export const SENT = 1024
/** `UNACKED_LOW` or `UNACKED_HIGH` is set for it. */
export const RESENT = 2048
/** The reset of the other end acknowledged all of it. */
export const ACKED_BY_RESET = 4096

/** Window scale of an end without a SYN, or without that option. */
export const NO_SCALE = -1

/** Doubles of the connection, after those of every flow: times of the first and of the last SYN of the client. */
export const FIRST_SYN = FLOW_COUNTS
export const LAST_SYN = FLOW_COUNTS + 1
export const HANDSHAKE = FLOW_COUNTS + 2
export const INITIAL_RTT = FLOW_COUNTS + 3
export const FIRST_BYTE = FLOW_COUNTS + 4
export const RTT_MIN = FLOW_COUNTS + 5
export const RTT_MAX = FLOW_COUNTS + 6
/** For the average and the jitter. */
export const RTT_SUM = FLOW_COUNTS + 7
export const LAST_RTT = FLOW_COUNTS + 8
export const JITTER = FLOW_COUNTS + 9
/** Times of the first FIN and the first RST of the low end and of the high end. 0: none. */
export const FIN_LOW = FLOW_COUNTS + 10
export const FIN_HIGH = FLOW_COUNTS + 11
export const RESET_LOW = FLOW_COUNTS + 12
export const RESET_HIGH = FLOW_COUNTS + 13
/** When the oldest byte of the low end and of the high end was first sent that was resent and is not acknowledged. 0: none. */
export const UNACKED_LOW = FLOW_COUNTS + 14
export const UNACKED_HIGH = FLOW_COUNTS + 15
const DOUBLES = FLOW_COUNTS + 16

/** Its index in the flow table. */
export const INDEX = 2 * DOUBLES
/** Bits, see below. */
export const STATE = INDEX + 1
export const COMPLETENESS = INDEX + 2
export const RTT_SAMPLES = INDEX + 3
export const RETRANSMISSIONS = INDEX + 4
export const FAST_RETRANSMISSIONS = INDEX + 5
export const DUPLICATE_ACKS = INDEX + 6
export const OUT_OF_ORDER = INDEX + 7
export const OVERLAP_CONFLICTS = INDEX + 8
export const ZERO_WINDOW = INDEX + 9
export const WINDOW_FULL = INDEX + 10
export const KEEP_ALIVE = INDEX + 11
export const RESETS = INDEX + 12
export const FINS = INDEX + 13
/** Milliseconds from the first packet to the first zero window of the low end and of the high end, plus 1. 0: none. */
export const ZERO_WINDOW_LOW = INDEX + 14
export const ZERO_WINDOW_HIGH = INDEX + 15
/** Of a connection that is over: the initial sequence numbers of the low end and of the high end. */
export const INITIAL_LOW = INDEX + 16
export const INITIAL_HIGH = INDEX + 17
export const CONNECTION_WORDS = DOUBLES + 9

/** A SYN was seen, but not the acknowledgement that completes the handshake. */
export const HANDSHAKING = 1
/** The handshake was timed. */
export const HANDSHAKE_TIMED = 2
/** The first byte of the answer was timed. */
export const ANSWERED = 4
/** It is over after a short idle time. */
export const ENDING_SOON = 8
/** The end that reset it. Bytes in flight from the other end may still come. */
export const RESET_BY_LOW = 16
export const RESET_BY_HIGH = 32
/** Of a connection that is over: the SYN of the low end and of the high end was seen. */
export const SYN_BY_LOW = 64
export const SYN_BY_HIGH = 128
