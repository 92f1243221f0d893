import type { Answers } from './fake-worker.ts'

const peer = { ip: '10.0.0.1', port: 80 }

/**
 * Made-up data of many nodes: each has calls at times of its own, a large group of its own, and a small one that all
 * nodes have. Counts what was asked of them.
 */
export class ManyNodes {
  static readonly callsOfEach = 1000
  static readonly shared = 'everywhere'
  readonly count: number
  /** Rows of calls that all nodes have sent. */
  rows = 0
  /** Nodes that were asked for calls. */
  readonly asked = new Set<string>()

  constructor(count: number) {
    this.count = count
  }

  static nameOf(at: number): string {
    return `n${String(at).padStart(3, '0')}`
  }

  /** The time of each call is a number of its own: the call `i` of the node `at` is the one after that of the node before. */
  timeOf(at: number, i: number): number {
    return 1_700_000_000_000 + i * this.count + at
  }

  answersOf(at: number): Answers {
    const node = ManyNodes.nameOf(at)
    const figures = { errors: 0, capture_errors: 0, rate: 1, bytes: 10 }
    const groups = [
      { group: `own-${node}`, calls: 150, ...figures },
      { group: ManyNodes.shared, calls: 100, ...figures },
    ]
    return {
      calls: ({ limit, cursor }) => {
        this.asked.add(node)
        const from = (cursor === undefined ? ManyNodes.callsOfEach : Number(cursor)) - 1
        const found = Array.from({ length: Math.min(limit, from + 1) }, (_, i) => from - i)
        this.rows += found.length
        return {
          calls: found.map((i) => ({
            id: `${node}/${i}/0`,
            ts: this.timeOf(at, i),
            src: peer,
            dst: peer,
            proto: 'http',
          })),
          cursors: found.map(String),
          total: ManyNodes.callsOfEach,
          total_is: 'exact',
          ...((found.at(-1) ?? 0) > 0 && { next_cursor: String(found.at(-1)) }),
        }
      },
      stats: ({ limit, at_least = 0, only }) => ({
        groups: groups
          .filter(
            ({ calls, group }) => calls >= at_least && (only?.some((one) => one.group === group) ?? true),
          )
          .slice(0, limit),
      }),
      summary: () => ({
        calls: ManyNodes.callsOfEach,
        flows: 0,
        oldest_ts: this.timeOf(at, 0),
        newest_ts: this.timeOf(at, ManyNodes.callsOfEach - 1),
        size_bytes: 1,
        by_protocol: {},
      }),
    }
  }
}
