/**
 * The one spelling of an address that packets are named by: dotted decimal, or RFC 5952 for IPv6 (lower case, the
 * longest run of zeros folded, mapped IPv4 with a dotted tail). Undefined where the text is no address.
 */
export function canonicalIp(text: string): string | undefined {
  const bytes = text.includes(':') ? parseIPv6(text) : parseIPv4(text)
  if (bytes === undefined) return undefined
  return bytes.length === 4 ? bytes.join('.') : formatIPv6(bytes)
}

function parseIPv4(text: string): number[] | undefined {
  const match = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text)
  const bytes = match?.slice(1).map(Number)
  return bytes?.every((byte) => byte < 256) ? bytes : undefined
}

function parseIPv6(text: string): number[] | undefined {
  const halves = text.split('::')
  if (halves.length > 2) return undefined
  const head = parseGroups(halves[0]!, halves.length === 1)
  const tail = halves.length === 2 ? parseGroups(halves[1]!, true) : []
  if (head === undefined || tail === undefined) return undefined
  const missing = 8 - head.length - tail.length
  if (halves.length === 1 ? missing !== 0 : missing < 1) return undefined
  return [...head, ...new Array<number>(missing).fill(0), ...tail]
}

function parseGroups(text: string, last: boolean): number[] | undefined {
  if (text === '') return []
  const groups: number[] = []
  const words = text.split(':')
  for (const [at, word] of words.entries()) {
    const dotted = last && at === words.length - 1 && word.includes('.') ? parseIPv4(word) : undefined
    if (dotted !== undefined) groups.push(dotted[0]! * 256 + dotted[1]!, dotted[2]! * 256 + dotted[3]!)
    else if (/^[0-9a-f]{1,4}$/i.test(word)) groups.push(Number.parseInt(word, 16))
    else return undefined
  }
  return groups
}

function formatIPv6(groups: readonly number[]): string {
  let longest = 1
  let longestAt = -1
  for (let at = 0; at < 8; at++) {
    let run = 0
    while (at + run < 8 && groups[at + run] === 0) run++
    if (run > longest) {
      longest = run
      longestAt = at
    }
    at += run
  }
  if (longestAt === 0 && longest === 5 && groups[5] === 0xffff) {
    const [high, low] = [groups[6]!, groups[7]!]
    return `::ffff:${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`
  }
  const hex = groups.map((group) => group.toString(16))
  if (longestAt === -1) return hex.join(':')
  return `${hex.slice(0, longestAt).join(':')}::${hex.slice(longestAt + longest).join(':')}`
}
