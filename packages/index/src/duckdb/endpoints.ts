import type { Endpoint } from '@tapdeck/dissect'
import { type EndpointTexts, endpointOfTexts, textsOfEndpoint } from '../endpoint-texts.ts'
import { RowBatch } from './row-batch.ts'
import { endpointSchema } from './schema.ts'

/** The peers of a chunk without their ports, by number from 1. */
export class Endpoints {
  readonly #ids = new Map<string, number>()
  readonly #texts: EndpointTexts[] = []
  #fresh: [number, EndpointTexts][] = []

  constructor(known: Iterable<readonly [id: number, texts: EndpointTexts]> = []) {
    for (const [id, texts] of known) this.#set(keyOf(texts), id, texts)
  }

  get size(): number {
    return this.#ids.size
  }

  id(endpoint: Endpoint): number {
    const texts = textsOfEndpoint(endpoint)
    const key = keyOf(texts)
    const known = this.#ids.get(key)
    if (known !== undefined) return known
    const id = this.#ids.size + 1
    this.#set(key, id, texts)
    this.#fresh.push([id, texts])
    return id
  }

  /** The endpoint of that number at a port. */
  endpoint(id: number, port: number): Endpoint {
    return endpointOfTexts(this.#texts[id], port)
  }

  /** What was added since the last time, to be written. */
  takeFresh(): readonly RowBatch<typeof endpointSchema>[] {
    const batches: RowBatch<typeof endpointSchema>[] = []
    for (const [id, texts] of this.#fresh) {
      if (batches.at(-1)?.full ?? true) batches.push(new RowBatch(endpointSchema))
      const batch = batches[batches.length - 1]
      const row = batch.count++
      batch.columns.id[row] = id
      batch.columns.ip.set(row, texts.ip)
      batch.columns.pod.set(row, texts.pod)
      batch.columns.ns.set(row, texts.ns)
      batch.columns.svc.set(row, texts.svc)
      batch.columns.node.set(row, texts.node)
      batch.columns.process.set(row, texts.process)
      batch.columns.more.set(row, texts.more)
    }
    this.#fresh = []
    return batches
  }

  #set(key: string, id: number, texts: EndpointTexts): void {
    this.#ids.set(key, id)
    this.#texts[id] = texts
  }
}

function keyOf({ ip, pod, ns, svc, node, process, more }: EndpointTexts): string {
  return `${ip}\n${pod}\n${ns}\n${svc}\n${node}\n${process}\n${more}`
}
