import type { workerRequests } from './worker-requests.ts'

const KIB = 1024
const MIB = 1024 * KIB

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

const small = 64 * KIB

/** Bytes of the answer to each request. Streamed bytes are limited by credit instead. */
export const answerLimits: Readonly<Record<keyof typeof workerRequests, number>> = {
  indexing: small,
  inventory: small,
  names: small,
  capture_filter: small,
  targets: small,
  boundaries: small,
  subscribe: small,
  unsubscribe: small,
  tls_keys: small,
  credential_key: small,
  event_window: small,
  key_window: small,
  window: small,
  upload: small,
  count: small,
  credential: 128 * KIB,
  summary: 256 * KIB,
  // Calls with their bodies.
  calls: maxLinkMessage,
  call: maxLinkMessage,
  rewind: maxLinkMessage,
  rewind_call: maxLinkMessage,
  // Up to 10,000 rows: groups may carry their latencies.
  stats: 32 * MIB,
  flows: 32 * MIB,
  values: 16 * MIB,
  events: maxLinkMessage,
  // A name and two numbers for each file of a ring.
  hand_over: 16 * MIB,
}
