export type Labels = Readonly<Record<string, string>>

/** Samples in Prometheus' text format. Those of one name stand together under one header, as the format wants it. */
export class Samples {
  readonly #families = new Map<string, string[]>()

  add(name: string, type: 'gauge' | 'counter', help: string, value: number, labels: Labels = {}): void {
    this.#family(name, type, help).push(sample(name, value, labels))
  }

  /** `buckets` are counts up to each of the bounds, each with those below. */
  histogram(
    name: string,
    help: string,
    bounds: readonly number[],
    { labels, buckets, count, sum }: HistogramSample,
  ): void {
    const lines = this.#family(name, 'histogram', help)
    for (const [at, bound] of bounds.entries())
      lines.push(sample(`${name}_bucket`, buckets[at]!, { ...labels, le: String(bound) }))
    lines.push(
      sample(`${name}_bucket`, count, { ...labels, le: '+Inf' }),
      sample(`${name}_sum`, sum, labels),
      sample(`${name}_count`, count, labels),
    )
  }

  text(): string {
    return `${[...this.#families.values()].flat().join('\n')}\n`
  }

  #family(name: string, type: string, help: string): string[] {
    const known = this.#families.get(name)
    if (known) return known
    const lines = [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`]
    this.#families.set(name, lines)
    return lines
  }
}

export interface HistogramSample {
  readonly labels: Labels
  readonly buckets: readonly number[]
  readonly count: number
  readonly sum: number
}

function sample(name: string, value: number, labels: Labels): string {
  const list = Object.entries(labels).map(([key, text]) => `${key}="${escaped(text)}"`)
  return `${name}${list.length > 0 ? `{${list.join(',')}}` : ''} ${value}`
}

function escaped(text: string): string {
  return text.replace(/[\\"\n]/g, (char) => (char === '\n' ? '\\n' : `\\${char}`))
}
