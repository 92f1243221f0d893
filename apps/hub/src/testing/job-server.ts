import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'

interface Job {
  readonly metadata: { readonly name: string }
  readonly spec: {
    readonly template: { readonly spec: { readonly containers: readonly { readonly args?: string[] }[] } }
  }
  status?: object
}

/** The Jobs of a namespace of a Kubernetes API server over real HTTP: created, read and deleted. */
export class JobServer {
  readonly jobs = new Map<string, Job>()
  /** What is listed as pods and as events of any Job. */
  pods: readonly object[] = []
  events: readonly object[] = []
  /** It answers that it cannot answer. */
  isAway = false
  /** What a Job does, by the arguments of its container. */
  run: (args: readonly string[]) => Promise<void> = async () => {}
  forbidden = false
  readonly #server = http.createServer((request, response) => void this.#answer(request, response))

  static async start(): Promise<JobServer> {
    const started = new JobServer()
    started.#server.listen(0, '127.0.0.1')
    await once(started.#server, 'listening')
    return started
  }

  /** The text of a kubeconfig file. */
  get kubeconfig(): string {
    const server = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
    return JSON.stringify({
      clusters: [{ name: 'c', cluster: { server, 'insecure-skip-tls-verify': true } }],
      users: [{ name: 'u', user: {} }],
      contexts: [{ name: 'x', context: { cluster: 'c', user: 'u', namespace: 'taps' } }],
      'current-context': 'x',
    })
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }

  /** Sets the condition that the cluster sets after the last attempt. */
  fail(message: string): void {
    for (const job of this.jobs.values())
      job.status = {
        conditions: [{ type: 'Failed', status: 'True', reason: 'BackoffLimitExceeded', message }],
      }
  }

  /** Sets the condition of a Job whose pod ended with status 0. */
  complete(): void {
    for (const job of this.jobs.values()) job.status = { conditions: [{ type: 'Complete', status: 'True' }] }
  }

  async #answer(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const body = await bodyOf(request)
    const say = (status: number, answer: object) => {
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(JSON.stringify(answer))
    }
    const refuse = (code: number, message: string) => say(code, { kind: 'Status', code, message })
    const [, name = ''] =
      /^\/apis\/batch\/v1\/namespaces\/taps\/jobs(?:\/([a-z0-9-]+))?$/.exec(request.url ?? '') ?? []
    if (this.isAway) return refuse(503, 'etcd has no leader')
    const [, kind] = /^\/api\/v1\/namespaces\/taps\/(pods|events)\?/.exec(request.url ?? '') ?? []
    if (kind === 'pods' || kind === 'events') return say(200, { items: this[kind] })
    if (this.forbidden) return refuse(403, 'jobs.batch is forbidden')
    if (request.method === 'POST') {
      const job = JSON.parse(body) as Job
      if (this.jobs.has(job.metadata.name)) return refuse(409, 'already exists')
      this.jobs.set(job.metadata.name, job)
      void this.run(job.spec.template.spec.containers[0]?.args ?? []).catch((error: Error) =>
        this.fail(error.message),
      )
      return say(201, job)
    }
    const job = this.jobs.get(name)
    if (job === undefined) return refuse(404, `jobs.batch "${name}" not found`)
    if (request.method === 'DELETE') this.jobs.delete(name)
    say(200, job)
  }
}

async function bodyOf(request: http.IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request) text += chunk
  return text
}
