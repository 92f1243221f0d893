import { KIB, MIB } from '@tapdeck/questions'

/** Bytes of the largest message of the link, in both directions. */
export const maxLinkMessage = 64 * MIB

/**
 * Bytes of text messages of a worker, by `kind`; an answer is limited by its request. The hub looks at the size before it
 * parses anything, so a message above `unnamed` begins with `{"kind":"…"`, and an answer with `{"kind":"answer","id":…`.
 */
export const messageLimits = {
  /** All that a connection may send before and with its first message. */
  hello: MIB,
  report: MIB,
  failure: 256 * KIB,
  calls: 32 * MIB,
  unnamed: 64 * KIB,
} as const
