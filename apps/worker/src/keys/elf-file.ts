import { fstatSync, readSync } from 'node:fs'

const HEADER_BYTES = 64
const MACHINES: Readonly<Record<number, ElfFile['machine']>> = { 62: 'x64', 183: 'arm64' }
const [PT_LOAD, SHT_NOTE, SHT_DYNSYM, NT_GNU_BUILD_ID] = [1, 7, 11, 3]
const PF_X = 1
const STT_FUNC = 2
/** Bounds of what is read of a file, which may be made to be hard to read. */
const MAX_SECTIONS = 4096
const MAX_PROGRAM_HEADERS = 512
const MAX_NAMES_BYTES = 1 << 20
const MAX_SYMBOL_BYTES = 64 << 20
const MAX_NOTE_BYTES = 64 * 1024
const SYMBOL_BYTES = 24

/** A file that is not a readable 64-bit little-endian ELF file. */
export class ElfError extends Error {
  override readonly name = 'ElfError'
}

export interface ElfSection {
  readonly name: string
  readonly type: number
  readonly address: number
  readonly offset: number
  readonly size: number
  readonly link: number
}

export interface ElfSymbol {
  readonly address: number
  readonly size: number
}

interface Segment {
  readonly address: number
  readonly offset: number
  readonly size: number
}

/** Reads an executable or a library. All offsets and sizes of the file are checked before they are used. */
export class ElfFile {
  readonly machine: 'x64' | 'arm64'
  readonly sections: readonly ElfSection[]
  readonly #fd: number
  readonly #size: number
  /** Loaded segments that can be executed. */
  readonly #code: readonly Segment[]

  /** Throws `ElfError`. The file stays open; the caller closes it. */
  constructor(fd: number) {
    this.#fd = fd
    this.#size = fstatSync(fd).size
    const header = this.#read(0, HEADER_BYTES)
    // 64 bits, little endian.
    if (header.readUInt32BE(0) !== 0x7f454c46 || header[4] !== 2 || header[5] !== 1)
      throw new ElfError('no 64-bit little-endian ELF file')
    const machine = MACHINES[header.readUInt16LE(18)]
    if (machine === undefined) throw new ElfError(`machine ${header.readUInt16LE(18)} is not supported`)
    this.machine = machine
    this.#code = this.#readSegments(header)
    this.sections = this.#readSections(header)
  }

  /** The identity of the build as hex, if the file has one. */
  get buildId(): string | undefined {
    for (const section of this.sections)
      if (section.type === SHT_NOTE && section.size <= MAX_NOTE_BYTES) {
        const id = buildIdIn(this.bytes(section, MAX_NOTE_BYTES))
        if (id !== undefined) return id
      }
    return undefined
  }

  section(name: string): ElfSection | undefined {
    return this.sections.find((section) => section.name === name)
  }

  /** The content of a section. Throws `ElfError` if it is larger than `max`. */
  bytes({ name, offset, size }: ElfSection, max: number): Buffer {
    if (size > max) throw new ElfError(`section ${name} has ${size} bytes; at most ${max} are read`)
    return this.#read(offset, size)
  }

  /** The exported functions with these names. */
  functions(names: readonly string[]): Map<string, ElfSymbol> {
    const found = new Map<string, ElfSymbol>()
    for (const section of this.sections) {
      const strings = this.sections[section.link]
      if (section.type !== SHT_DYNSYM || strings === undefined) continue
      const table = this.bytes(section, MAX_SYMBOL_BYTES)
      const text = this.bytes(strings, MAX_SYMBOL_BYTES)
      const wanted = names.map((name) => Buffer.from(`${name}\0`, 'latin1'))
      for (let at = 0; at + SYMBOL_BYTES <= table.length; at += SYMBOL_BYTES) {
        const place = table.readUInt32LE(at)
        if ((table[at + 4]! & 15) !== STT_FUNC) continue
        const which = wanted.findIndex((name) => startsAt(text, place, name))
        const address = toNumber(table.readBigUInt64LE(at + 8))
        if (which >= 0 && address > 0)
          found.set(names[which]!, { address, size: toNumber(table.readBigUInt64LE(at + 16)) })
      }
    }
    return found
  }

  /** Where in the file the code at an address is; undefined if no executable segment has it. */
  fileOffset(address: number): number | undefined {
    const segment = this.#code.find((one) => address >= one.address && address < one.address + one.size)
    return segment && address - segment.address + segment.offset
  }

  /** Up to `length` bytes of code at an address. */
  code(address: number, length: number): Buffer {
    const offset = this.fileOffset(address)
    if (offset === undefined) throw new ElfError(`no code at address ${address}`)
    return this.#read(offset, Math.min(length, this.#size - offset))
  }

  #readSegments(header: Buffer): Segment[] {
    const [size, count] = [header.readUInt16LE(54), header.readUInt16LE(56)]
    if (count === 0) return []
    if (size !== 56 || count > MAX_PROGRAM_HEADERS) throw new ElfError('bad program headers')
    const table = this.#read(toNumber(header.readBigUInt64LE(32)), size * count)
    const segments: Segment[] = []
    for (let at = 0; at < table.length; at += size)
      if (table.readUInt32LE(at) === PT_LOAD && table.readUInt32LE(at + 4) & PF_X)
        segments.push({
          offset: toNumber(table.readBigUInt64LE(at + 8)),
          address: toNumber(table.readBigUInt64LE(at + 16)),
          size: toNumber(table.readBigUInt64LE(at + 32)),
        })
    return segments
  }

  #readSections(header: Buffer): ElfSection[] {
    const [size, count, names] = [58, 60, 62].map((at) => header.readUInt16LE(at)) as [number, number, number]
    if (count === 0) return []
    if (size !== 64 || count > MAX_SECTIONS) throw new ElfError('bad section headers')
    const table = this.#read(toNumber(header.readBigUInt64LE(40)), size * count)
    const sections = Array.from({ length: count }, (_, number) => {
      const at = number * size
      return {
        nameAt: table.readUInt32LE(at),
        type: table.readUInt32LE(at + 4),
        address: toNumber(table.readBigUInt64LE(at + 16)),
        offset: toNumber(table.readBigUInt64LE(at + 24)),
        size: toNumber(table.readBigUInt64LE(at + 32)),
        link: table.readUInt32LE(at + 40),
      }
    })
    const strings = sections[names]
    if (strings === undefined) throw new ElfError('the sections have no names')
    const text = this.bytes({ ...strings, name: 'of names' }, MAX_NAMES_BYTES)
    return sections.map(({ nameAt, ...section }) => ({ ...section, name: textAt(text, nameAt) }))
  }

  #read(offset: number, length: number): Buffer {
    if (offset + length > this.#size) throw new ElfError('a part of the file is outside of it')
    const bytes = Buffer.allocUnsafe(length)
    let read = 0
    while (read < length) {
      const got = readSync(this.#fd, bytes, read, length - read, offset + read)
      if (got === 0) throw new ElfError('the file became shorter')
      read += got
    }
    return bytes
  }
}

function startsAt(text: Buffer, at: number, name: Buffer): boolean {
  return text[at] === name[0] && text.subarray(at, at + name.length).equals(name)
}

function textAt(text: Buffer, at: number): string {
  const end = text.indexOf(0, at)
  return text.toString('latin1', at, end < 0 ? at : Math.min(end, at + 256))
}

/** Larger numbers are rounded; they are outside of every file. */
function toNumber(value: bigint): number {
  return Number(value)
}

function buildIdIn(notes: Buffer): string | undefined {
  for (let at = 0; at + 12 <= notes.length; ) {
    const [nameBytes, bytes, type] = [at, at + 4, at + 8].map((place) => notes.readUInt32LE(place)) as [
      number,
      number,
      number,
    ]
    const start = at + 12 + aligned(nameBytes)
    if (start + bytes > notes.length) return undefined
    if (type === NT_GNU_BUILD_ID && notes.toString('latin1', at + 12, at + 15) === 'GNU')
      return notes.toString('hex', start, start + bytes)
    at = start + aligned(bytes)
  }
  return undefined
}

function aligned(length: number): number {
  return Math.ceil(length / 4) * 4
}
