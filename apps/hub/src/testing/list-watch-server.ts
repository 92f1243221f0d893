import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import http from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { join } from 'node:path'

interface Stored {
  readonly metadata: { readonly uid: string; readonly resourceVersion?: string }
}

interface Change {
  readonly version: number
  readonly path: string
  readonly line: string
}

/**
 * Lists and watches of a Kubernetes API server over real HTTP: versions, bookmarks, 410 for a version that it has forgotten,
 * 403 for a kind that is not granted, connections that break. For tests of faults that a real server does not make on
 * demand; the suite of `test/cluster` uses a real one.
 */
export class ListWatchServer {
  /** Kinds that the caller may not list, by path. */
  readonly forbidden = new Set<string>()
  /** Kinds that the caller may list and not watch. */
  readonly unwatchable = new Set<string>()
  /** Requests so far, by path. */
  readonly lists = new Map<string, number>()
  readonly watches = new Map<string, number>()
  readonly refusals = new Map<string, number>()
  /** Whether 410 is sent as the status of the answer, or as a line of the watch: real servers do both. */
  expiresByLine = true
  readonly #objects = new Map<string, Map<string, Stored>>()
  readonly #sockets = new Set<Socket>()
  readonly #open = new Set<{ readonly path: string; readonly response: http.ServerResponse }>()
  #changes: Change[] = []
  #version = 100
  #oldest = 0
  #server: http.Server | undefined
  #port = 0

  get address(): string {
    return `http://127.0.0.1:${this.#port}`
  }

  /** Returns the file. */
  async writeKubeconfig(folder: string): Promise<string> {
    const file = join(folder, 'kubeconfig')
    await writeFile(
      file,
      JSON.stringify({
        clusters: [{ name: 'c', cluster: { server: this.address, 'insecure-skip-tls-verify': true } }],
        users: [{ name: 'u', user: {} }],
        contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
        'current-context': 'x',
      }),
    )
    return file
  }

  /** Always at the same port. */
  async start(): Promise<void> {
    const server = http.createServer((request, response) => this.#answer(request, response))
    server.on('connection', (socket) => {
      // One that was on its way when the server stopped would keep it open.
      if (!server.listening) socket.destroy()
      this.#sockets.add(socket)
      socket.on('close', () => this.#sockets.delete(socket))
    })
    server.listen(this.#port, '127.0.0.1')
    await once(server, 'listening')
    this.#port = (server.address() as AddressInfo).port
    this.#server = server
  }

  /** Connections break, and new ones are refused. */
  async stop(): Promise<void> {
    const server = this.#server
    this.#server = undefined
    if (!server) return
    const closed = once(server, 'close')
    server.close()
    this.cut()
    await closed
  }

  /** Breaks all connections. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  /** Ends all watches in order, as a server does after a while. */
  endWatches(): void {
    for (const { response } of this.#open) response.end()
  }

  /** Forgets all changes: who watches from an older version gets 410. */
  compact(): void {
    this.#changes = []
    this.#oldest = this.#version
  }

  put(path: string, object: Stored): void {
    const stored = this.#versioned(object)
    const known = this.#of(path).has(object.metadata.uid)
    this.#of(path).set(object.metadata.uid, stored)
    this.#change(path, known ? 'MODIFIED' : 'ADDED', stored)
  }

  remove(path: string, uid: string): void {
    const object = this.#of(path).get(uid)
    if (object === undefined) throw new Error(`there is no ${uid}`)
    this.#of(path).delete(uid)
    this.#change(path, 'DELETED', this.#versioned(object))
  }

  #of(path: string): Map<string, Stored> {
    const objects = this.#objects.get(path) ?? new Map<string, Stored>()
    this.#objects.set(path, objects)
    return objects
  }

  #versioned(object: Stored): Stored {
    return { ...object, metadata: { ...object.metadata, resourceVersion: String(++this.#version) } }
  }

  #change(path: string, type: string, object: Stored): void {
    const line = `${JSON.stringify({ type, object })}\n`
    this.#changes.push({ version: this.#version, path, line })
    for (const open of this.#open) if (open.path === path) open.response.write(line)
  }

  #answer(request: http.IncomingMessage, response: http.ServerResponse): void {
    const { pathname: path, searchParams } = new URL(request.url ?? '/', this.address)
    const json = (status: number, body: object) => {
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(JSON.stringify(body))
    }
    const isWatch = searchParams.has('watch')
    if (this.forbidden.has(path) || (isWatch && this.unwatchable.has(path))) {
      this.refusals.set(path, (this.refusals.get(path) ?? 0) + 1)
      json(403, { kind: 'Status', code: 403, message: `cannot list ${path}` })
      return
    }
    if (!isWatch) {
      this.lists.set(path, (this.lists.get(path) ?? 0) + 1)
      const items = [...this.#of(path).values()]
      json(200, { metadata: { resourceVersion: String(this.#version) }, items })
      return
    }
    this.watches.set(path, (this.watches.get(path) ?? 0) + 1)
    const from = Number(searchParams.get('resourceVersion'))
    const expired = { kind: 'Status', code: 410, message: 'too old resource version' }
    if (from < this.#oldest && !this.expiresByLine) {
      json(410, expired)
      return
    }
    response.writeHead(200, { 'content-type': 'application/json' })
    response.flushHeaders()
    if (from < this.#oldest) {
      response.end(`${JSON.stringify({ type: 'ERROR', object: expired })}\n`)
      return
    }
    for (const change of this.#changes)
      if (change.path === path && change.version > from) response.write(change.line)
    const open = { path, response }
    this.#open.add(open)
    response.on('close', () => this.#open.delete(open))
  }
}
