import { readFileSync } from 'node:fs'

const MAGIC = 0xeb9f
const STRUCT = 4
/** Bytes that follow the 12 of a type, by its kind: fixed, or for each of its `vlen` (linux/btf.h). */
const FIXED: Readonly<Record<number, number>> = { 1: 4, 3: 12, 14: 4, 17: 4 }
const EACH: Readonly<Record<number, number>> = { 4: 12, 5: 12, 6: 8, 13: 8, 15: 12, 19: 12 }

/** Byte offset of `exit_code` in `task_struct` of this kernel, from its BTF data; undefined if there is none. */
export function exitCodeOffset(): number | undefined {
  try {
    return memberOffset(readFileSync('/sys/kernel/btf/vmlinux'), 'task_struct', 'exit_code')
  } catch {
    return undefined
  }
}

/** Byte offset of a member of a struct in BTF data (Documentation/bpf/btf.rst). */
function memberOffset(btf: Buffer, struct: string, member: string): number | undefined {
  if (btf.readUInt16LE(0) !== MAGIC) return undefined
  const [header, types, typeBytes, strings] = [4, 8, 12, 16].map((at) => btf.readUInt32LE(at))
  const text = header! + strings!
  const named = (offset: number, name: string) =>
    btf.toString('latin1', text + offset, text + offset + name.length + 1) === `${name}\0`
  let at = header! + types!
  const end = at + typeBytes!
  while (at < end) {
    const info = btf.readUInt32LE(at + 4)
    const kind = (info >>> 24) & 31
    const count = info & 0xffff
    // With the top bit set, the lowest 24 bits are the offset; the bits above are the size of a bit field.
    if (kind === STRUCT && named(btf.readUInt32LE(at), struct))
      for (let field = at + 12; field < at + 12 + count * 12; field += 12)
        if (named(btf.readUInt32LE(field), member)) {
          const place = btf.readUInt32LE(field + 8)
          return (info >>> 31 ? place & 0xff_ffff : place) / 8
        }
    at += 12 + (FIXED[kind] ?? 0) + (EACH[kind] ?? 0) * count
  }
  return undefined
}
