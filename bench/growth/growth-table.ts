import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { lineChart, type Series } from '../charts/line-chart.ts'

/** The costs of each amount of work, by name of the cost. */
export class GrowthTable {
  readonly #work: string
  readonly #sizes: number[] = []
  readonly #costs = new Map<string, (number | undefined)[]>()

  constructor(work: string) {
    this.#work = work
  }

  /** `undefined`: this cost could not be measured for this amount. */
  add(size: number, costs: Readonly<Record<string, number | undefined>>): void {
    for (const [name, cost] of Object.entries(costs)) {
      const known = this.#costs.get(name) ?? this.#sizes.map(() => undefined)
      this.#costs.set(name, [...known, cost])
    }
    this.#sizes.push(size)
  }

  /** A row for each cost, a column for each amount; the last column has the growth from the first amount to the last. */
  print(): void {
    const rows = [...this.#costs].map(([name, costs]) => [name, ...costs.map(shown), this.#growth(costs)])
    const sizes = this.#sizes.map((size) => size.toLocaleString('en'))
    for (const row of [[this.#work, ...sizes, 'growth'], ['---', ...sizes.map(() => '---:'), '---'], ...rows])
      console.log(`| ${row.join(' | ')} |`)
  }

  /** The points of a cost, for a chart. */
  points(name: string): (readonly [number, number])[] {
    const costs = this.#costs.get(name) ?? []
    return costs.flatMap((cost, i) => (cost === undefined ? [] : [[this.#sizes[i], cost] as const]))
  }

  /** Writes a chart of these costs into the folder of charts, if there is one. `dashed`: the name of the second line of a cost. */
  draw(
    file: string,
    labels: Parameters<typeof lineChart>[0],
    costs: readonly string[],
    dashed?: (name: string) => string,
  ): void {
    const folder = process.env.TAPDECK_BENCH_PICTURES
    if (folder === undefined) return
    mkdirSync(folder, { recursive: true })
    const series: Series[] = costs.map((name) => ({
      name: name.replace(/, (p50|MB|ms).*$/, ''),
      points: this.points(name),
      ...(dashed && { dashed: this.points(dashed(name)) }),
    }))
    writeFileSync(join(folder, file), lineChart(labels, series))
  }

  #growth(costs: readonly (number | undefined)[]): string {
    const known = costs.flatMap((cost, i) => (cost === undefined ? [] : [{ cost, size: this.#sizes[i] }]))
    const first = known.at(0)
    const last = known.at(-1)
    if (first === undefined || last === undefined || first === last || first.cost === 0) return '–'
    return `${shown(last.cost / first.cost)}× for ${shown(last.size / first.size)}×`
  }
}

function shown(value: number | undefined): string {
  if (value === undefined) return '–'
  return value.toLocaleString('en', { maximumFractionDigits: value < 10 ? 1 : 0 })
}
