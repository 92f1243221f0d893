import { z } from 'zod'
import type { ApiServer } from './api-server.ts'

const MAX_ANSWER = 4 * 1024 * 1024

const shape = z.object({ data: z.record(z.string(), z.string()).nullish() })

/** One key of a Secret or a ConfigMap in the hub's own namespace. The object must exist: the hub may not create any. */
export class DataObject {
  readonly address: string
  readonly #api: ApiServer
  readonly #path: string
  readonly #key: string
  readonly #isSecret: boolean

  constructor(api: ApiServer, kind: 'Secret' | 'ConfigMap', name: string, key: string) {
    this.#api = api
    this.#isSecret = kind === 'Secret'
    this.#path = `/api/v1/namespaces/${api.namespace}/${this.#isSecret ? 'secrets' : 'configmaps'}/${name}`
    this.#key = key
    this.address = `${kind} ${api.namespace}/${name}`
  }

  /** Undefined if the object does not have the key. */
  async read(): Promise<string | undefined> {
    const { data } = shape.parse(await this.#api.send('GET', this.#path, undefined, MAX_ANSWER))
    const value = data?.[this.#key]
    if (value === undefined || value === '') return undefined
    return this.#isSecret ? Buffer.from(value, 'base64').toString('utf8') : value
  }

  async write(text: string): Promise<void> {
    const value = this.#isSecret ? Buffer.from(text).toString('base64') : text
    await this.#api.send('PATCH', this.#path, { data: { [this.#key]: value } }, MAX_ANSWER)
  }
}
