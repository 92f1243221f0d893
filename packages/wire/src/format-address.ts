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
