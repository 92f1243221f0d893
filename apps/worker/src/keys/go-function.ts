import { ElfError, type ElfFile } from './elf-file.ts'

const MAX_TABLE_BYTES = 256 << 20
/** Magic numbers of tables whose functions take their arguments in registers (Go 1.18 and 1.20, runtime/symtab.go). */
const MAGICS: readonly number[] = [0xfffffff0, 0xfffffff1]
const HEADER_BYTES = 72
const ENTRY_BYTES = 8
const TABLES = ['.gopclntab', '.data.rel.ro.gopclntab'] as const

export function isGo(file: ElfFile): boolean {
  return file.sections.some(({ name }) => TABLES.some((table) => table === name))
}

/**
 * The address of a Go function, from the table that the Go runtime needs itself: stripped files have it, too.
 * Undefined if the file does not have the function. Throws `ElfError` if the table cannot be used.
 */
export function goFunction(file: ElfFile, name: string): number | undefined {
  const section = TABLES.map((table) => file.section(table)).find((one) => one !== undefined)
  if (section === undefined) return undefined
  const table = file.bytes(section, MAX_TABLE_BYTES)
  if (table.length < HEADER_BYTES) throw new ElfError('the function table of Go is too short')
  if (!MAGICS.includes(table.readUInt32LE(0)) || table[7] !== 8)
    throw new ElfError('the program was built by a Go older than 1.18, or by an unknown one')
  const count = Number(table.readBigUInt64LE(8))
  const [textStart, names, functions] = [24, 32, 64].map((at) => Number(table.readBigUInt64LE(at))) as [
    number,
    number,
    number,
  ]
  const wanted = Buffer.from(`\0${name}\0`, 'latin1')
  const found = names < table.length ? table.indexOf(wanted, names) : -1
  if (found < 0) return undefined
  const nameOffset = found + 1 - names
  if (functions + count * ENTRY_BYTES > table.length)
    throw new ElfError('the function table of Go is damaged')
  for (let at = functions; at < functions + count * ENTRY_BYTES; at += ENTRY_BYTES) {
    const data = functions + table.readUInt32LE(at + 4)
    if (data + 8 <= table.length && table.readInt32LE(data + 4) === nameOffset)
      return (textStart || (file.section('.text')?.address ?? 0)) + table.readUInt32LE(at)
  }
  return undefined
}

/** Whether the code begins with the stack check of a Go function, so that the address is surely right. */
export function beginsGoFunction(file: ElfFile, address: number): boolean {
  const code = file.code(address, 16)
  if (file.machine === 'arm64') return code.length >= 4 && code.readUInt32LE(0) === ARM64_LOAD_STACK_LIMIT
  const start = code.toString('hex')
  return X64_STACK_CHECKS.some((check) => check.test(start))
}

/** ldr x16, [x28, #16] */
const ARM64_LOAD_STACK_LIMIT = 0xf9400b90
/** cmp rsp, [r14+16]; or lea r12, [rsp-frame] and cmp r12, [r14+16] */
const X64_STACK_CHECKS = [/^493b6610/, /^4c8d6424..4d3b6610/, /^4c8da424.{8}4d3b6610/]
