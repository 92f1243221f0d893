const LF = 0x0a
const CR = 0x0d
const COLON = 0x3a
const SPACE = 0x20
const TAB = 0x09

/** Where the value ends that `headerRange` found last. */
export let rangeEnd = 0

/** Where in a head the value of the field `name` (in lower case) begins; -1 where there is none. */
export function headerRange(head: Uint8Array, name: string): number {
  const first = name.charCodeAt(0)
  const { length } = name
  for (let at = 0; at + length + 1 < head.length; at++) {
    if (head[at] !== LF || (head[at + 1] | 0x20) !== first || head[at + 1 + length] !== COLON) continue
    let i = 1
    while (i < length && (head[at + 1 + i] | 0x20) === (name.charCodeAt(i) | 0x20)) i++
    if (i < length) continue
    let start = at + 2 + length
    while (start < head.length && (head[start] === SPACE || head[start] === TAB)) start++
    let end = start
    while (end < head.length && head[end] !== CR && head[end] !== LF) end++
    rangeEnd = end
    return start
  }
  return -1
}
