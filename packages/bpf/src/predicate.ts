import type { Comparison } from './expression.ts'
import { calculate } from './parse-arithmetic.ts'
import type { Test, Value } from './test-tree.ts'

/** Whether a packet matches: `data[start, end)` was captured of `length` bytes. */
export type BpfPredicate = (data: Uint8Array, start: number, end: number, length: number) => boolean

/** The packet that is looked at. One for all calls: nothing here waits. */
interface Looked {
  data: Uint8Array
  start: number
  end: number
  length: number
  /** A load went beyond the packet, or something was divided by zero: the packet does not match. */
  beyond: boolean
}

type Evaluate = (packet: Looked) => number
/** 0: no, 1: yes, 2: no, and nothing around it changes that. */
type Verdict = (packet: Looked) => 0 | 1 | 2

export function predicate(test: Test): BpfPredicate {
  const verdict = judge(test)
  const packet: Looked = { data: new Uint8Array(0), start: 0, end: 0, length: 0, beyond: false }
  return (data, start, end, length) => {
    packet.data = data
    packet.start = start
    packet.end = end
    packet.length = length
    packet.beyond = false
    return verdict(packet) === 1
  }
}

function judge(test: Test): Verdict {
  switch (test.kind) {
    case 'constant': {
      const answer = test.value ? 1 : 0
      return () => answer
    }
    case 'and': {
      const [left, right] = [judge(test.left), judge(test.right)]
      return (packet) => {
        const first = left(packet)
        return first === 1 ? right(packet) : first
      }
    }
    case 'or': {
      const [left, right] = [judge(test.left), judge(test.right)]
      return (packet) => {
        const first = left(packet)
        return first === 0 ? right(packet) : first
      }
    }
    case 'not': {
      const of = judge(test.of)
      return (packet) => {
        const answer = of(packet)
        return answer === 2 ? 2 : answer === 1 ? 0 : 1
      }
    }
    case 'compare': {
      const [left, right] = [evaluate(test.left), evaluate(test.right)]
      const compare = comparisons[test.comparison]
      return (packet) => {
        const a = left(packet)
        const b = right(packet)
        return packet.beyond ? 2 : compare(a, b) ? 1 : 0
      }
    }
  }
}

const comparisons: Readonly<Record<Comparison, (a: number, b: number) => boolean>> = {
  '=': (a, b) => a === b,
  '!=': (a, b) => a !== b,
  '>': (a, b) => a > b,
  '<': (a, b) => a < b,
  '>=': (a, b) => a >= b,
  '<=': (a, b) => a <= b,
}

function evaluate(value: Value): Evaluate {
  switch (value.kind) {
    case 'number': {
      const { value: number } = value
      return () => number
    }
    case 'length':
      return (packet) => packet.length
    case 'load':
      return load(value)
    case 'binary': {
      const { operator } = value
      const [left, right] = [evaluate(value.left), evaluate(value.right)]
      const divides = operator === '/' || operator === '%'
      return (packet) => {
        const a = left(packet)
        const b = right(packet)
        if (divides && b === 0) {
          packet.beyond = true
          return 0
        }
        return calculate(operator, a, b)
      }
    }
  }
}

function load({ size, from, headerAt, index }: Extract<Value, { kind: 'load' }>): Evaluate {
  const read = readers[size]
  const extra = index === undefined ? undefined : evaluate(index)
  if (headerAt === undefined && (extra === undefined || index?.kind === 'number')) {
    const at = from + (index?.kind === 'number' ? index.value : 0)
    return (packet) => {
      if (packet.start + at + size > packet.end) return beyond(packet)
      return read(packet.data, packet.start + at)
    }
  }
  return (packet) => {
    let more = extra === undefined ? 0 : extra(packet)
    if (headerAt !== undefined) {
      if (packet.start + headerAt >= packet.end) return beyond(packet)
      more = (more + (packet.data[packet.start + headerAt] & 15) * 4) >>> 0
    }
    const at = packet.start + from + more
    return at + size > packet.end ? beyond(packet) : read(packet.data, at)
  }
}

function beyond(packet: Looked): number {
  packet.beyond = true
  return 0
}

const readers: Readonly<Record<1 | 2 | 4, (data: Uint8Array, at: number) => number>> = {
  1: (data, at) => data[at],
  2: (data, at) => (data[at] << 8) | data[at + 1],
  4: (data, at) => ((data[at] << 24) | (data[at + 1] << 16) | (data[at + 2] << 8) | data[at + 3]) >>> 0,
}
