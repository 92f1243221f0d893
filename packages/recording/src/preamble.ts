import { interfaceBlock, type RecordedInterface, sectionBlock } from './segment-blocks.ts'

/** The blocks that must precede packets: a section header and the interfaces that the packets refer to. */
export class Preamble {
  readonly #section: Uint8Array
  #bytes: Uint8Array
  #count = 0

  constructor(node: string, application: string) {
    this.#section = sectionBlock(`${application} (node ${node})`)
    this.#bytes = this.#section
  }

  get bytes(): Uint8Array {
    return this.#bytes
  }

  /** How many interfaces are described. */
  get count(): number {
    return this.#count
  }

  /** Describes one more interface; its number is `count` before. Returns the block that says so. */
  add(description: RecordedInterface): Uint8Array {
    const block = interfaceBlock(description)
    this.#bytes = Buffer.concat([this.#bytes, block])
    this.#count++
    return block
  }

  reset(): void {
    this.#bytes = this.#section
    this.#count = 0
  }
}
