import { formatIPv4, formatIPv6 } from '@tapdeck/ip'
import type { Address } from '../flow.ts'

const CELLS = 4096

/** A cache of address texts: flows of one host share one string, flows of one server one endpoint. New entries overwrite old ones. */
export class AddressText {
  readonly #texts: string[] = new Array<string>(CELLS).fill('')
  readonly #words = new Int32Array(CELLS * 5)
  readonly #servers: (Address | undefined)[] = new Array<Address | undefined>(CELLS).fill(undefined)

  /** The endpoint of a server: many clients use few servers. */
  server(data: Uint8Array, at: number, v6: boolean, port: number): Address {
    const ip = this.of(data, at, v6)
    const last = v6 ? at + 15 : at + 3
    const cell = (Math.imul(port, 31) ^ (data[last - 1] << 8) ^ data[last]) & (CELLS - 1)
    const known = this.#servers[cell]
    if (known !== undefined && known.port === port && known.ip === ip) return known
    const server = { ip, port }
    this.#servers[cell] = server
    return server
  }

  of(data: Uint8Array, at: number, v6: boolean): string {
    const size = v6 ? 4 : 1
    let hash = size
    for (let word = 0; word < size; word++) hash = Math.imul(hash ^ wordAt(data, at, word), 0x9e3779b1)
    const cell = (hash ^ (hash >>> 15)) & (CELLS - 1)
    const base = cell * 5
    let same = this.#words[base] === size
    for (let word = 0; word < size && same; word++)
      same = this.#words[base + 1 + word] === wordAt(data, at, word)
    if (same) return this.#texts[cell]
    this.#words[base] = size
    for (let word = 0; word < size; word++) this.#words[base + 1 + word] = wordAt(data, at, word)
    const text = v6 ? formatIPv6(data, at) : formatIPv4(data, at)
    this.#texts[cell] = text
    return text
  }
}

function wordAt(data: Uint8Array, at: number, word: number): number {
  const from = at + word * 4
  return (data[from] << 24) | (data[from + 1] << 16) | (data[from + 2] << 8) | data[from + 3]
}
