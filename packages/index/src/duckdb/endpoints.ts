import type { Endpoint } from '@tapdeck/dissect'
import { RowBatch } from './row-batch.ts'
import { endpointSchema } from './schema.ts'

/** The columns of an endpoint as texts; '' is absent. */
export interface EndpointTexts {
  readonly ip: string
  readonly pod: string
  readonly ns: string
  readonly svc: string
  readonly node: string
  readonly process: string
  readonly more: string
}

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
    const texts = textsOf(endpoint)
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
    return endpointOf(this.#texts[id], port)
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

/** Whether two descriptions are of the same endpoint, port aside: cheap where nothing changed. */
export function sameEndpoint(a: Endpoint, b: Endpoint): boolean {
  return (
    a === b ||
    (a.ip === b.ip &&
      a.pod === b.pod &&
      a.ns === b.ns &&
      a.svc === b.svc &&
      a.node === b.node &&
      a.process === b.process &&
      a.dns === b.dns &&
      a.workload === b.workload &&
      a.labels === b.labels &&
      a.annotations === b.annotations)
  )
}

function textsOf(endpoint: Endpoint): EndpointTexts {
  const { ip, port: _, pod = '', ns = '', svc = '', node = '', process = '', ...more } = endpoint
  const some = Object.values(more).some((value) => value !== undefined)
  return { ip, pod, ns, svc, node, process, more: some ? JSON.stringify(more) : '' }
}

/** Built up name by name: it is made for every row that is read, and spreading several objects is slow. */
function endpointOf(texts: EndpointTexts, port: number): Endpoint {
  const endpoint: { -readonly [Name in keyof Endpoint]: Endpoint[Name] } = { ip: texts.ip, port }
  if (texts.pod) endpoint.pod = texts.pod
  if (texts.ns) endpoint.ns = texts.ns
  if (texts.svc) endpoint.svc = texts.svc
  if (texts.node) endpoint.node = texts.node
  if (texts.process) endpoint.process = texts.process
  if (texts.more) Object.assign(endpoint, JSON.parse(texts.more))
  return endpoint
}

function keyOf({ ip, pod, ns, svc, node, process, more }: EndpointTexts): string {
  return `${ip}\n${pod}\n${ns}\n${svc}\n${node}\n${process}\n${more}`
}
