import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'

/** A program of OpenSSL whose input is typed by a test. */
export class OpensslProgram {
  #output = ''
  readonly #child: ChildProcess
  #ended = false

  constructor(args: readonly string[]) {
    this.#child = spawn('openssl', args, { stdio: ['pipe', 'pipe', 'pipe'] })
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.on('data', (data) => {
        this.#output += String(data)
        this.#child.emit('output')
      })
    this.#child.on('exit', () => {
      this.#ended = true
      this.#child.emit('output')
    })
  }

  type(text: string): void {
    this.#child.stdin?.write(text)
  }

  /** Waits for a text in what it prints, and forgets what came before. */
  async prints(text: string): Promise<void> {
    for (;;) {
      const at = this.#output.indexOf(text)
      if (at >= 0) {
        this.#output = this.#output.slice(at + text.length)
        return
      }
      if (this.#ended) throw new Error(`openssl ended without printing ${text}: ${this.#output}`)
      await once(this.#child, 'output')
    }
  }

  /** Ends its input; waits for its end. */
  async close(): Promise<void> {
    this.#child.stdin?.end()
    if (!this.#ended) await once(this.#child, 'exit')
  }

  kill(): void {
    this.#child.kill('SIGKILL')
  }
}

/** A port that was free a moment ago: `openssl s_server` does not say which one it has chosen. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
