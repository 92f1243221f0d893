import type { SystemCalls } from './system-calls.ts'

/** linux/if.h */
export const IFNAMSIZ = 16
export const IFREQ_SIZE = 40
const SIOCGIFINDEX = 0x8933

/** The index of an interface in the network namespace of the socket; undefined: there is none. */
export function interfaceIndex(calls: SystemCalls, fd: number, name: string): number | undefined {
  const encoded = new TextEncoder().encode(name)
  if (encoded.length >= IFNAMSIZ) return undefined
  const request = new Uint8Array(IFREQ_SIZE)
  request.set(encoded)
  if (calls.ioctl(fd, SIOCGIFINDEX, request) < 0) return undefined
  return new DataView(request.buffer).getInt32(IFNAMSIZ, true)
}
