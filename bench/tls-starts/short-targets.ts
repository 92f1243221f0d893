import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { OwnLibraries } from '../tls-table/own-libraries.ts'
import { Stage } from '../tls-table/stage.ts'

/** Programs that make one connection and end. They load copies of their TLS libraries, which no other process of the machine has. */
export class ShortTargets {
  /** The TLS libraries that are probed. */
  readonly libraries: readonly string[]
  readonly #commands: readonly { readonly path: string; readonly options: readonly string[] }[]
  readonly #env: NodeJS.ProcessEnv
  readonly #waiting: ChildProcess
  readonly #url: string
  #answer = ''

  constructor(stage: Stage, port: number) {
    const programs = ['curl', 'wget'].filter((name) => Stage.find(name) !== undefined)
    const { folder, paths } = new OwnLibraries(stage, programs)
    this.libraries = paths
    this.#env = { ...process.env, LD_LIBRARY_PATH: folder }
    this.#commands = programs.map((name) => ({
      path: stage.link(name, Stage.find(name)!),
      options: name === 'curl' ? ['-sk'] : ['-qO-', '--no-check-certificate'],
    }))
    // Its libraries are loaded, and it makes its connection when its standard input ends.
    this.#url = `https://127.0.0.1:${port}/waiting`
    this.#waiting = spawn(this.#commands[0]!.path, ['-sk', '-K', '-'], {
      ...{ env: this.#env, stdio: ['pipe', 'pipe', 'ignore'] },
    })
    this.#waiting.stdout!.on('data', (chunk) => {
      this.#answer += chunk
    })
  }

  /** A process that runs from the beginning to the end. */
  get waitingPid(): number {
    return this.#waiting.pid!
  }

  start(url: string, number: number): ChildProcess {
    const { path, options } = this.#commands[number % 8 === 0 ? this.#commands.length - 1 : 0]!
    return spawn(path, [...options, url], { env: this.#env, stdio: ['ignore', 'pipe', 'ignore'] })
  }

  /** The process that waits makes its request; its status and the answer. */
  async finish(): Promise<string> {
    this.#waiting.stdin!.end(`url = ${this.#url}\n`)
    const [status, signal] = await once(this.#waiting, 'close')
    return `status ${status ?? signal}, answer ${this.#answer}`
  }
}
