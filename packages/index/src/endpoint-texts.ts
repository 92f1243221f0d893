import type { Endpoint } from '@tapdeck/dissect'

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

export function textsOfEndpoint(endpoint: Endpoint): EndpointTexts {
  const { ip, port: _, pod = '', ns = '', svc = '', node = '', process = '', ...more } = endpoint
  const some = Object.values(more).some((value) => value !== undefined)
  return { ip, pod, ns, svc, node, process, more: some ? JSON.stringify(more) : '' }
}

/** Built up name by name: it is made for every row that is read, and spreading several objects is slow. */
export function endpointOfTexts(texts: EndpointTexts, port: number): Endpoint {
  const endpoint: { -readonly [Name in keyof Endpoint]: Endpoint[Name] } = { ip: texts.ip, port }
  if (texts.pod) endpoint.pod = texts.pod
  if (texts.ns) endpoint.ns = texts.ns
  if (texts.svc) endpoint.svc = texts.svc
  if (texts.node) endpoint.node = texts.node
  if (texts.process) endpoint.process = texts.process
  if (texts.more) Object.assign(endpoint, JSON.parse(texts.more))
  return endpoint
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
