import { END_COUNTS, FLOW_COUNTS } from '../flows/number-rows.ts'

/**
 * Where things stand in the row of a connection: its low end, its high end, then what both share. Each of the three is
 * named by where its integers are counted from; its doubles are counted from half of that.
 */

/** Doubles of an end behind what is counted of it: when its furthest segment, its last acknowledgement, its first payload came. */
export const MAX_TIME = END_COUNTS
export const ACK_TIME = END_COUNTS + 1
/** 0 before. */
export const FIRST_DATA = END_COUNTS + 2
/** Up to when what was handed on had arrived, where something came before its turn. */
export const DRAINED = END_COUNTS + 3
const END_DOUBLES = END_COUNTS + 4

/** The next byte to hand on. Sequence numbers are 32-bit integers that wrap; the sign of their difference compares them. */
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
/** What its SYN says of windows, and how far they are shifted. */
export const SCALE = NEXT + 7
export const SHIFT = NEXT + 8
/** Segments whose acknowledgement will be a round-trip sample: a list in `RoundTrips`. */
export const TIMED = NEXT + 9
export const FIRST_TIMED = NEXT + 10
export const LAST_TIMED = NEXT + 11
/** Bits, see below. */
export const END = NEXT + 12
/** Words of eight bytes that an end takes. */
export const END_WORDS = END_DOUBLES + 7

/** `NEXT` and `MAX` mean something. */
export const KNOWN = 1
/** Nothing is odd about this end: a segment at `NEXT` can be handed on without a second look. */
export const CALM = 2
export const SYN_SEEN = 4
export const FIN_SEEN = 8
/** All before its FIN was handed on. */
export const FINISHED = 16
export const ACKED = 32
/** Its last segment was a keep-alive. */
export const KEPT_ALIVE = 64
/** Bytes behind a hole, or such that acknowledge what the other end is not known to have sent, are held for it. */
export const HOLDS = 128
/** What the other end acknowledged of it was waited for in vain, and nothing came since. */
export const VAIN = 256

/** Window scale of an end whose SYN was not seen, or had no such option. */
export const NO_SCALE = -1

/** Doubles of the connection, behind what is known of every flow: times of the first and of the last SYN of the client. */
export const FIRST_SYN = FLOW_COUNTS
export const LAST_SYN = FLOW_COUNTS + 1
export const HANDSHAKE = FLOW_COUNTS + 2
export const INITIAL_RTT = FLOW_COUNTS + 3
export const FIRST_BYTE = FLOW_COUNTS + 4
export const RTT_MIN = FLOW_COUNTS + 5
export const RTT_MAX = FLOW_COUNTS + 6
/** Behind the round-trip figures. */
export const RTT_SUM = FLOW_COUNTS + 7
export const LAST_RTT = FLOW_COUNTS + 8
export const JITTER = FLOW_COUNTS + 9
const DOUBLES = FLOW_COUNTS + 10

/** Where it stands in the flow table. */
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
export const CONNECTION_WORDS = DOUBLES + 7

/** A SYN was seen, but not yet the acknowledgement that completes the handshake. */
export const HANDSHAKING = 1
/** The handshake was timed. */
export const SHOOK = 2
/** The first byte of the answer was timed. */
export const ANSWERED = 4
/** Little more is to be expected: it is over after a short silence. */
export const ENDING_SOON = 8
/** The end that has reset it; what the other had under way may still come. */
export const RESET_BY_LOW = 16
export const RESET_BY_HIGH = 32
