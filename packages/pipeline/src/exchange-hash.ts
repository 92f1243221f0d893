import { type Call, HeadPlace, type Message } from '@tapdeck/dissect'

/** Bytes of a message that count; with the sizes they tell exchanges of one connection apart. */
const MAX_HASHED = 96
const PRIME = 0x01000193

const place = new HeadPlace()

/**
 * FNV-1a over words of four bytes. The client's sequence number or port is part of it, so that equal requests of many connections do
 * not collide.
 */
export function hashOf({ flow, protocol, request, response }: Call): number {
  let hash = Math.imul(0x811c9dc5 ^ (flow.sequences?.[0] ?? flow.ends[0].port), PRIME)
  for (let i = 0; i < protocol.length; i++) hash = Math.imul(hash ^ protocol.charCodeAt(i), PRIME)
  hash = hashMessage(hashMessage(hash, request), response)
  // The last bytes of a word reach the high bits only.
  return (hash ^ (hash >>> 15)) >>> 0
}

function hashMessage(before: number, message: Message | undefined): number {
  let hash = Math.imul(before ^ (message?.size ?? -1), PRIME)
  if (message === undefined || !(place.findHead(message) || place.findBody(message))) return hash
  const { bytes, start } = place
  const end = Math.min(place.end, start + MAX_HASHED)
  let at = start
  for (; at + 4 <= end; at += 4) {
    const word = bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)
    hash = Math.imul(hash ^ word, PRIME)
    hash ^= hash >>> 15
  }
  for (; at < end; at++) hash = Math.imul(hash ^ bytes[at]!, PRIME)
  return hash
}
