import { emitTest } from './emit.ts'
import type { Expression } from './expression.ts'
import { FilterProgram } from './filter-program.ts'
import { LinkLayout } from './link-layout.ts'
import { lower } from './lower.ts'
import { parse } from './parser.ts'
import { type BpfPredicate, predicate } from './predicate.ts'

/** linux/filter.h: whether the kernel took a VLAN tag out of the frame. */
const TAG_PRESENT = 0xfffff000 + 48

/** A BPF expression (pcap-filter(7)), read and checked: a predicate over packets, or a program for the kernel. */
export class BpfFilter {
  readonly text: string
  readonly #expression: Expression
  readonly #predicates = new Map<number, BpfPredicate>()

  private constructor(text: string, expression: Expression) {
    this.text = text
    this.#expression = expression
  }

  /** Throws `BpfError`. */
  static parse(text: string): BpfFilter {
    return new BpfFilter(text, parse(text))
  }

  /** For packets of a link layer, by its LINKTYPE_*. */
  predicate(link: number): BpfPredicate {
    let found = this.#predicates.get(link)
    if (found === undefined) {
      found = predicate(lower(this.#expression, LinkLayout.of(link)))
      this.#predicates.set(link, found)
    }
    return found
  }

  matches(data: Uint8Array, start: number, end: number, length: number, link: number): boolean {
    return this.predicate(link)(data, start, end, length)
  }

  /** A whole classic BPF program that keeps `snapLength` bytes of what matches. Throws `RangeError` where it is too long. */
  program(link: number, snapLength: number): Uint8Array {
    const program = new FilterProgram()
    emitTest(program, lower(this.#expression, LinkLayout.of(link)), 'accept', 'reject')
    return program.label('accept').accept(snapLength).label('reject').accept(0).assemble()
  }

  /** Writes the expression into a kernel's filter, for frames as a packet socket sees them. */
  emitEthernet(program: FilterProgram, yes: string, no: string): void {
    const inFrame = LinkLayout.of(1)
    const test = lower(this.#expression, inFrame)
    // Where no tag was asked for, it does not matter that the kernel takes it out of the frame.
    if (inFrame.payloadAt === LinkLayout.of(1).payloadAt) {
      emitTest(program, test, yes, no)
      return
    }
    const taken = program.freshLabel()
    program.loadWord(TAG_PRESENT).ifNotEqual(0, taken)
    emitTest(program, test, yes, no)
    program.label(taken)
    emitTest(program, lower(this.#expression, LinkLayout.untagged()), yes, no)
  }

  /** The same for link layers without Ethernet headers: the network header is where the kernel says. */
  emitNetwork(program: FilterProgram, yes: string, no: string): void {
    emitTest(program, lower(this.#expression, LinkLayout.network()), yes, no)
  }
}
