import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'

/** One finding, as `find_suspects` returns it. */
export interface Accusation {
  readonly rank: number
  readonly kind: string
  readonly severity: 'high' | 'medium' | 'note'
  readonly score: number
  readonly what: string
  readonly client?: { readonly name: string }
  readonly server?: { readonly name: string }
  readonly kfl?: string
  readonly evidence: readonly string[]
  readonly explained_by?: number
}

export interface Investigation {
  readonly accusations: readonly Accusation[]
  readonly calls: number
  readonly bytes: number
  /** Steps that the answers advised and that gave nothing. */
  readonly deadEnds: readonly string[]
}

/** An investigator without a model: asks over MCP what the answers before advise, and nothing else. */
export class Investigator {
  readonly #client = new Client({ name: 'scripted-investigator', version: '1' })
  #calls = 0
  #bytes = 0

  static async connect(port: number): Promise<Investigator> {
    const investigator = new Investigator()
    await investigator.#client.connect(
      new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/mcp`)),
    )
    return investigator
  }

  async investigate(db: string): Promise<Investigation> {
    this.#calls = 0
    this.#bytes = 0
    const deadEnds: string[] = []
    const found = await this.#ask('find_suspects', { db })
    const accusations = (found.suspects ?? []) as readonly Accusation[]
    const [first] = accusations.filter(({ severity }) => severity !== 'note')
    const [id] = first?.evidence ?? []
    if (id !== undefined) {
      const { timeline } = await this.#ask('explain_call', { db, id })
      if (!Array.isArray(timeline) || timeline.length === 0) deadEnds.push('explain_call')
    }
    if (first?.kfl !== undefined) {
      const { calls } = await this.#ask('list_api_calls', { db, kfl: first.kfl, limit: 3 })
      if (!Array.isArray(calls) || calls.length === 0) deadEnds.push('list_api_calls')
    }
    return { accusations, calls: this.#calls, bytes: this.#bytes, deadEnds }
  }

  close(): Promise<void> {
    return this.#client.close()
  }

  async #ask(name: string, input: Record<string, unknown>): Promise<Record<string, unknown>> {
    const result = await this.#client.callTool({ name, arguments: input })
    this.#calls++
    this.#bytes += JSON.stringify(result).length
    if (result.isError) throw new Error(`${name}: ${JSON.stringify(result.content)}`)
    const [{ text } = { text: '{}' }] = result.content as readonly { readonly text: string }[]
    return JSON.parse(text)
  }
}
