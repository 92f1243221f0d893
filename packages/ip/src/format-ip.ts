/** Dotted decimal of the four bytes at `at`. */
export function formatIPv4(data: Uint8Array, at: number): string {
  return `${data[at]}.${data[at + 1]}.${data[at + 2]}.${data[at + 3]}`
}

/** The canonical text of the sixteen bytes at `at` (RFC 5952), mapped IPv4 addresses with a dotted tail. */
export function formatIPv6(data: Uint8Array, at: number): string {
  let longest = 0
  let longestAt = -1
  for (let group = 0; group < 8; ) {
    let run = 0
    while (group + run < 8 && groupAt(data, at, group + run) === 0) run++
    if (run > longest && run > 1) {
      longest = run
      longestAt = group
    }
    group += run + 1
  }
  if (longestAt === 0 && longest === 5 && groupAt(data, at, 5) === 0xffff)
    return `::ffff:${formatIPv4(data, at + 12)}`
  let text = ''
  for (let group = 0; group < 8; group++) {
    if (group === longestAt) {
      text += '::'
      group += longest - 1
      continue
    }
    if (text !== '' && !text.endsWith(':')) text += ':'
    text += groupAt(data, at, group).toString(16)
  }
  return text
}

function groupAt(data: Uint8Array, at: number, group: number): number {
  return (data[at + group * 2] << 8) | data[at + group * 2 + 1]
}

/** The sixteen bytes at `at`; an IPv4-mapped address as IPv4, because that is what the packets of such a socket carry. */
export function formatHostIp(data: Uint8Array, at: number): string {
  return isMapped(data, at) ? formatIPv4(data, at + 12) : formatIPv6(data, at)
}

/** `::ffff:0:0/96` (RFC 4291, section 2.5.5.2). */
function isMapped(data: Uint8Array, at: number): boolean {
  for (let byte = at; byte < at + 10; byte++) if (data[byte] !== 0) return false
  return data[at + 10] === 255 && data[at + 11] === 255
}
