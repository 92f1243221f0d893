import type { Column } from './table.ts'

export interface ClockOptions {
  /** Show UTC. Default: the time zone of this machine. */
  readonly utc: boolean
  readonly now?: number
  /** Minutes east of UTC at a time. Default: the time zone of this machine. */
  readonly offsetOf?: (ms: number) => number
}

const localOffset = (ms: number) => -new Date(ms).getTimezoneOffset()

/** Formats the times of one table: the title names the time zone, and cells have a date where days differ. */
export class Clock {
  readonly title: string
  readonly #offsetOf: (ms: number) => number
  readonly #hasDate: boolean

  /** `times`: the times to be shown, in Unix milliseconds, or the first and the last of them. */
  constructor(times: readonly number[], { utc, now = Date.now(), offsetOf = localOffset }: ClockOptions) {
    this.#offsetOf = utc ? () => 0 : offsetOf
    const days = new Set(times.map((time) => this.#day(time)))
    this.#hasDate = days.size > 1
    const [day = this.#day(now)] = days
    const zone = zoneName(this.#offsetOf(times.at(-1) ?? now))
    this.title = this.#hasDate || day === this.#day(now) ? `TIME ${zone}` : `${day} ${zone}`
  }

  /** `14:03:07.123`, or `2026-11-17 14:03:07.123` where days differ. */
  format(ms: number): string {
    const text = this.#shifted(ms)
    return this.#hasDate ? `${text.slice(0, 10)} ${text.slice(11, 23)}` : text.slice(11, 23)
  }

  #day(ms: number): string {
    return this.#shifted(ms).slice(0, 10)
  }

  #shifted(ms: number): string {
    return new Date(ms + this.#offsetOf(ms) * 60_000).toISOString()
  }
}

/** A column of RFC 3339 times, each with its date: lists of snapshots and alike reach over days. */
export function dateColumn<Row>(
  title: string,
  instantOf: (row: Row) => string | null | undefined,
  options: ClockOptions,
  otherwise?: string,
): Column<Row> {
  const offsetOf = options.utc ? () => 0 : (options.offsetOf ?? localOffset)
  const zone = zoneName(offsetOf(options.now ?? Date.now()))
  return {
    title: `${title} ${zone}`,
    cell: (row) => {
      const instant = instantOf(row)
      if (instant === null || instant === undefined) return otherwise
      const ms = Date.parse(instant)
      if (Number.isNaN(ms)) return instant
      return new Date(ms + offsetOf(ms) * 60_000).toISOString().slice(0, 19).replace('T', ' ')
    },
  }
}

function zoneName(minutes: number): string {
  if (minutes === 0) return 'UTC'
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0')
  const size = Math.abs(minutes)
  return `${minutes < 0 ? '-' : '+'}${two(size / 60)}:${two(size % 60)}`
}
