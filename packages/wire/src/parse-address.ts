import { Malformed } from './malformed.ts'

/** The four or sixteen bytes of an address as people write it. Throws `Malformed` for anything else. */
export function parseAddress(text: string): Uint8Array {
  return text.includes(':') ? parseIPv6(text) : parseIPv4(text)
}

function parseIPv4(text: string): Uint8Array {
  const parts = text.split('.')
  if (parts.length !== 4 || !parts.every((part) => /^\d{1,3}$/.test(part) && Number(part) < 256))
    throw new Malformed(`no IP address: ${text}`)
  return Uint8Array.from(parts, Number)
}

function parseIPv6(text: string): Uint8Array {
  const halves = text.split('::')
  const left = groups(halves[0], text)
  const right = halves.length > 1 ? groups(halves[1], text) : []
  const missing = 8 - left.length - right.length
  if (halves.length > 2 || (halves.length === 2 ? missing < 1 : missing !== 0))
    throw new Malformed(`no IP address: ${text}`)
  const all = [...left, ...new Array<number>(missing).fill(0), ...right]
  return Uint8Array.from(all.flatMap((group) => [group >> 8, group & 255]))
}

function groups(part: string, text: string): number[] {
  if (part === '') return []
  return part.split(':').flatMap((group, index, all) => {
    if (index === all.length - 1 && group.includes('.')) {
      const tail = parseIPv4(group)
      return [(tail[0] << 8) | tail[1], (tail[2] << 8) | tail[3]]
    }
    if (!/^[0-9a-fA-F]{1,4}$/.test(group)) throw new Malformed(`no IP address: ${text}`)
    return [Number.parseInt(group, 16)]
  })
}
