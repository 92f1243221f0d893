import { has, WORD } from './char-set.ts'
import { Closure, holds, type Kind, kindOf } from './closure.ts'
import { parsePattern } from './parse-pattern.ts'
import { assemble, type Instruction } from './program.ts'
import { RegexTooLarge } from './regex-too-large.ts'

/** States kept before the cache starts anew. */
const MAX_STATES = 500

/** A text that empties the cache this often makes new states all the time: cheaper to do without them. */
const MAX_FLUSHES = 3

/** Longer programs may be over the memory that RE2 gives itself, which would be an error at the time of the query. */
const MAX_PORTABLE = 200

/** A state that is kept costs so much more than one that is passed through. */
const STEPS_A_STATE = 8

/** Instructions and character ranges of one pattern. */
const MAX_SIZE = 10_000

interface State {
  readonly kernel: readonly number[]
  readonly before: Kind
  /** By class of the next character; the last one stands for the end of the text. */
  readonly next: (State | 'match' | undefined)[]
}

/**
 * A regular expression in RE2's language, matched anywhere in a text in time linear in the text: Thompson's machine,
 * its sets of instructions remembered as the states of a lazily built automaton over classes of code points.
 */
export class Regex {
  readonly source: string
  /** RE2 gives the same answers. */
  readonly portable: boolean
  /** Instructions and character ranges: what it costs to build. */
  readonly size: number
  readonly #program: readonly Instruction[]
  readonly #closure: Closure
  /** First code points of the classes: characters of one class are the same to every instruction. */
  readonly #bounds: readonly number[]
  readonly #ascii = new Uint16Array(128)
  #states = new Map<string, State>()
  #initial: State
  #flushes = 0
  #stepsLeft = Number.POSITIVE_INFINITY

  /** `maxSize`: what is left for this pattern where several share a bound. Throws `RegexError`. */
  constructor(source: string, maxSize = MAX_SIZE) {
    const { pattern, portable, size } = parsePattern(source, maxSize)
    this.source = source
    this.#program = assemble(pattern)
    this.size = size + this.#program.length
    if (this.size > maxSize) throw new RegexTooLarge()
    this.portable = portable && this.#program.length <= MAX_PORTABLE
    this.#closure = new Closure(this.#program)
    this.#bounds = classBounds(this.#program)
    for (let code = 0; code < 128; code++) this.#ascii[code] = this.#search(code)
    this.#initial = this.#state([0], 'start')
  }

  /** `maxSteps`: work after which it gives up and returns false, for patterns that make new states at every character. */
  test(text: string, maxSteps = Number.POSITIVE_INFINITY): boolean {
    let state = this.#initial
    let at = 0
    this.#flushes = 0
    this.#stepsLeft = maxSteps
    while (at < text.length) {
      const code = text.codePointAt(at) ?? 0
      const index = code < 128 ? this.#ascii[code] : this.#search(code)
      const next = state.next[index] ?? this.#step(state, index)
      if (next === 'match') return true
      state = next
      at += code > 0xffff ? 2 : 1
      if (this.#stepsLeft < 0) return false
      if (this.#flushes > MAX_FLUSHES) return this.#simulate(text, at, state)
    }
    return this.#matchesAtEnd(state)
  }

  /**
   * Where it matches, begin and end in turn: the leftmost, and of these the longest. Where a match was still being read
   * further when it turned out to be over, what was read of the text counts as matched: nothing is read twice, so that
   * the time stays linear. `maxSteps`: work after which it throws `RegexTooLarge`; what was found until then is no answer.
   */
  spans(text: string, maxSteps = Number.POSITIVE_INFINITY): number[] {
    const found: number[] = []
    const matches = this.test(text, maxSteps)
    if (this.#stepsLeft < 0) throw new RegexTooLarge()
    if (!matches) return found
    let stepsLeft = this.#stepsLeft
    /** Where the machine stands, and where the match that led there began; leftmost first. */
    let threads = new Map<number, number>()
    let before: Kind = 'start'
    let begin = -1
    let end = -1
    for (let at = 0; ; ) {
      const code = at < text.length ? (text.codePointAt(at) ?? 0) : -1
      if (begin < 0 && !threads.has(0)) threads.set(0, at)
      const next = new Map<number, number>()
      const seen = new Set<number>()
      for (const [from, start] of threads) {
        if (begin >= 0 && start > begin) continue
        const closed = this.#reach(from, before, code < 0 ? 'end' : kindOf(code), seen)
        if (closed.matched && at > start && (begin < 0 || start <= begin)) {
          begin = start
          end = at
        }
        for (const place of closed.reading) {
          const instruction = this.#program[place]
          if (code >= 0 && instruction.kind === 'set' && has(instruction.set, code) && !next.has(place + 1))
            next.set(place + 1, start)
        }
      }
      stepsLeft -= seen.size
      if (stepsLeft < 0) throw new RegexTooLarge()
      threads = next
      const goesOn = [...threads.values()].some((start) => begin < 0 || start <= begin)
      if (begin >= 0 && !goesOn) {
        found.push(begin, Math.max(end, at))
        begin = -1
        threads = new Map()
        if (code < 0) return found
        // This character may begin the next match.
        threads.set(0, at)
        if (at === found[found.length - 1]) continue
      }
      if (code < 0) return found
      before = kindOf(code)
      at += code > 0xffff ? 2 : 1
    }
  }

  #reach(from: number, before: Kind, after: Kind, seen: Set<number>) {
    const reading: number[] = []
    const open = [from]
    let matched = false
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      if (seen.has(at)) continue
      seen.add(at)
      const instruction = this.#program[at]
      if (instruction.kind === 'match') matched = true
      else if (instruction.kind === 'set') reading.push(at)
      else if (instruction.kind === 'jump') open.push(instruction.to)
      else if (instruction.kind === 'split') open.push(at + 1, instruction.to)
      else if (holds(instruction.assertion, before, after)) open.push(at + 1)
    }
    return { reading, matched }
  }

  #step(state: State, index: number): State | 'match' {
    const code = this.#bounds[index]
    const kernel = this.#advance(state.kernel, state.before, code)
    const next = kernel === 'match' ? kernel : this.#state(kernel, kindOf(code))
    this.#stepsLeft -= STEPS_A_STATE * kernel.length
    state.next[index] = next
    return next
  }

  /** Where the machine can stand after one more character; always at the beginning too, as a match may start anywhere. */
  #advance(from: readonly number[], before: Kind, code: number): readonly number[] | 'match' {
    const closed = this.#closure.of(from, before, kindOf(code))
    if (closed === 'match') return 'match'
    const kernel = [0]
    for (const at of closed) {
      const instruction = this.#program[at]
      if (instruction.kind === 'set' && has(instruction.set, code)) kernel.push(at + 1)
    }
    return kernel
  }

  #matchesAtEnd(state: State): boolean {
    const index = this.#bounds.length
    const known = state.next[index]
    if (known) return known === 'match'
    const matches = this.#closure.of(state.kernel, state.before, 'end') === 'match'
    state.next[index] = matches ? 'match' : state
    return matches
  }

  /** The same machine without memory of its states. */
  #simulate(text: string, from: number, state: State): boolean {
    let { kernel, before } = state
    for (let at = from; at < text.length; ) {
      const code = text.codePointAt(at) ?? 0
      const next = this.#advance(kernel, before, code)
      if (next === 'match') return true
      kernel = next
      before = kindOf(code)
      at += code > 0xffff ? 2 : 1
      this.#stepsLeft -= 1 + kernel.length
      if (this.#stepsLeft < 0) return false
    }
    return this.#closure.of(kernel, before, 'end') === 'match'
  }

  #state(kernel: readonly number[], before: Kind): State {
    const sorted = [...kernel].sort((a, b) => a - b)
    const key = `${before} ${sorted.join()}`
    const known = this.#states.get(key)
    if (known) return known
    const state: State = { kernel: sorted, before, next: [] }
    if (this.#states.size >= MAX_STATES) {
      this.#states = new Map()
      this.#initial = { kernel: [0], before: 'start', next: [] }
      this.#flushes++
    }
    this.#states.set(key, state)
    return state
  }

  #search(code: number): number {
    let low = 0
    let high = this.#bounds.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (this.#bounds[middle] <= code) low = middle
      else high = middle - 1
    }
    return low
  }
}

function classBounds(program: readonly Instruction[]): readonly number[] {
  const bounds = new Set([0, 0x0a, 0x0b])
  const add = (set: readonly number[]) => {
    for (let at = 0; at < set.length; at += 2) bounds.add(set[at]).add(set[at + 1] + 1)
  }
  add(WORD)
  for (const instruction of program) if (instruction.kind === 'set') add(instruction.set)
  bounds.delete(0x110000)
  return [...bounds].sort((a, b) => a - b)
}
