import http, { type IncomingMessage } from 'node:http'
import https from 'node:https'
import { KubeConfig } from '@kubernetes/client-node'
import { ApiError } from './api-error.ts'

/** How the hub reaches a cluster. */
export interface ApiServerOptions {
  /** Empty: the cluster that the hub runs in. */
  readonly kubeconfig: string
  /** A context of the kubeconfig; empty: its current one. */
  readonly context: string
}

const ANSWER_WITHIN_MS = 30_000
const MAX_PROBLEM = 65_536

/**
 * The API server of a cluster. Address, trust and credentials come from the official client; the requests are made here
 * because a watch needs metadata-only answers, the status of a refusal and a bound on the length of a line.
 */
export class ApiServer {
  readonly #config: KubeConfig

  private constructor(config: KubeConfig) {
    this.#config = config
  }

  /** Throws where there is no such configuration. The server itself need not be there yet. */
  static load({ kubeconfig, context }: ApiServerOptions): ApiServer {
    const config = new KubeConfig()
    if (kubeconfig === '') {
      if (!process.env.KUBERNETES_SERVICE_HOST)
        throw new Error(
          'tap.kubernetes.enabled: this process runs in no cluster. Set tap.kubernetes.kubeconfig to a kubeconfig file.',
        )
      config.loadFromCluster()
    } else {
      config.loadFromFile(kubeconfig)
      if (context !== '') config.setCurrentContext(context)
      if (!config.getCurrentCluster())
        throw new Error(
          `tap.kubernetes.context: ${kubeconfig} has no context "${context || config.getCurrentContext()}"`,
        )
    }
    return new ApiServer(config)
  }

  get address(): string {
    return this.#config.getCurrentCluster()?.server ?? ''
  }

  /** That of the context, or of the pod that the hub runs in. */
  get namespace(): string {
    return this.#config.getContextObject(this.#config.getCurrentContext())?.namespace ?? 'default'
  }

  /** A GET that was answered with 200. Throws `ApiError` for any other answer. */
  async get(path: string, accept: string, signal: AbortSignal): Promise<IncomingMessage> {
    const answer = await this.#request('GET', path, { accept, signal })
    if (answer.statusCode === 200) return answer
    throw new ApiError(answer.statusCode ?? 0, await problemOf(answer))
  }

  /** A request with a JSON body, and its answer. Throws `ApiError` for an answer other than success. */
  async send(method: string, path: string, body: unknown, maxBytes: number): Promise<unknown> {
    const answer = await this.#request(method, path, { accept: 'application/json', body })
    const status = answer.statusCode ?? 0
    if (status < 200 || status >= 300) throw new ApiError(status, await problemOf(answer))
    const chunks: Buffer[] = []
    let size = 0
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > maxBytes) throw new Error(`the API server answers with more than ${maxBytes} bytes`)
      chunks.push(chunk)
    }
    return JSON.parse(Buffer.concat(chunks).toString('utf8'))
  }

  async #request(
    method: string,
    path: string,
    { accept, signal, body }: { accept: string; signal?: AbortSignal; body?: unknown },
  ): Promise<IncomingMessage> {
    const url = new URL(this.address.replace(/\/$/, '') + path)
    const options: https.RequestOptions = { method, headers: {} }
    await this.#config.applyToHTTPSOptions(options)
    const text = body === undefined ? undefined : JSON.stringify(body)
    // Node.js adds no length to the body of a DELETE.
    const type =
      text === undefined
        ? {}
        : { 'content-type': contentType(method), 'content-length': Buffer.byteLength(text) }
    return new Promise<IncomingMessage>((resolve, reject) => {
      const request = (url.protocol === 'http:' ? http : https).request(
        url,
        {
          ...options,
          ...(signal && { signal }),
          headers: { ...options.headers, accept, 'user-agent': 'tapdeck', ...type },
        },
        resolve,
      )
      request.setTimeout(ANSWER_WITHIN_MS, () => request.destroy(new Error('the API server does not answer')))
      request.on('error', reject)
      request.end(text)
    })
  }
}

/** A PATCH has the fields that change (RFC 7386). */
function contentType(method: string): string {
  return method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
}

async function problemOf(answer: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of answer) {
    text += chunk
    if (text.length > MAX_PROBLEM) break
  }
  try {
    const { message } = JSON.parse(text) as { message?: unknown }
    return typeof message === 'string' ? message : text
  } catch {
    return text
  }
}
