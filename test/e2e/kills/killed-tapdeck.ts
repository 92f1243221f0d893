import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const command = fileURLToPath(new URL('../../../dist/tapdeck.mjs', import.meta.url))
const PATIENCE = 600
const PAUSE_MS = 200

export type Part = 'worker' | 'hub' | 'up'

/** A Tapdeck whose processes are killed, on one data folder and one port. */
export class KilledTapdeck {
  readonly #port: number
  readonly #settings: readonly string[]
  readonly #data = mkdtempSync(join(tmpdir(), 'tapdeck-loss-'))
  #up: ChildProcess
  #output = ''

  constructor(port: number, settings: readonly string[]) {
    this.#port = port
    this.#settings = settings
    this.#up = this.#start()
  }

  /** SIGKILL. False where the process does not exist at this moment. What was killed is started again. */
  async kill(part: Part): Promise<boolean> {
    if (part === 'up') {
      const gone = once(this.#up, 'exit')
      this.#up.kill('SIGKILL')
      await gone
      this.#up = this.#start()
      return true
    }
    const [pid] = this.#parts(`${part}.mjs`)
    if (pid === undefined) return false
    process.kill(pid, 'SIGKILL')
    return true
  }

  async ready(): Promise<void> {
    for (let attempt = 0; attempt < PATIENCE; attempt++) {
      const answer = await fetch(`${this.#url}/readyz`).catch(() => undefined)
      if (answer?.ok) return
      if (this.#up.exitCode !== null) break
      await sleep(PAUSE_MS)
    }
    throw new Error(`Tapdeck is not ready:\n${this.#output}`)
  }

  async get<Answer>(path: string): Promise<Answer> {
    return (await fetch(this.#url + path)).json() as Promise<Answer>
  }

  async post(path: string, body: unknown = {}): Promise<void> {
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(this.#url + path, { method: 'POST', headers, body: JSON.stringify(body) })
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
  }

  /** Asks again until the answer is as wanted. */
  async until<Answer>(path: string, wanted: (answer: Answer) => boolean): Promise<Answer> {
    let last: Answer | undefined
    for (let attempt = 0; attempt < PATIENCE; attempt++) {
      last = await this.get<Answer>(path)
      if (wanted(last)) return last
      await sleep(PAUSE_MS)
    }
    throw new Error(`${path} did not come to be as wanted: ${JSON.stringify(last)}\n${this.#output}`)
  }

  async stop(): Promise<void> {
    if (this.#up.exitCode === null && this.#up.signalCode === null) {
      const gone = once(this.#up, 'exit')
      this.#up.kill('SIGTERM')
      await gone
    }
    rmSync(this.#data, { recursive: true, force: true })
  }

  get #url(): string {
    return `http://127.0.0.1:${this.#port}`
  }

  #start(): ChildProcess {
    const sets = this.#settings.flatMap((setting) => ['--set', setting])
    const args = [command, 'up', '--port', String(this.#port), '--data', this.#data, '--interface', 'lo']
    const child = spawn(process.execPath, [...args, ...sets], { stdio: ['ignore', 'pipe', 'pipe'] })
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => {
        this.#output = (this.#output + chunk).slice(-6000)
      })
    return child
  }

  /** Processes that run a bundle for this data folder. */
  #parts(bundle: string): number[] {
    const read = (pid: string, file: string) => {
      try {
        return readFileSync(`/proc/${pid}/${file}`, 'utf8')
      } catch {
        return ''
      }
    }
    return readdirSync('/proc')
      .filter((pid) => /^\d+$/.test(pid))
      .filter((pid) => read(pid, 'cmdline').includes(bundle) && read(pid, 'environ').includes(this.#data))
      .map(Number)
  }
}
