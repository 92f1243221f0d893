import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  copyFileSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { selfSignedPem } from '@tapdeck/tls/testing'

export type Version = '1.2' | '1.3'

const run = promisify(execFile)
/** So that no other process of the machine is a target. The kernel keeps 15 characters of a name. */
const PREFIX = 'tdt-'

/** Programs under names of their own, a certificate, and what must be stopped at the end. */
export class Stage {
  /** Names of the processes whose keys are taken. */
  static readonly processes = `^${PREFIX}`
  readonly folder = mkdtempSync(join(tmpdir(), 'tapdeck-tls-table-'))
  readonly pem = join(this.folder, 'server.pem')
  readonly #stops: (() => void)[] = []
  readonly #pair = selfSignedPem('localhost')

  constructor() {
    writeFileSync(this.pem, this.#pair.key + this.#pair.cert, { mode: 0o644 })
    // Servers that give up their rights read it, too.
    chmodSync(this.folder, 0o755)
  }

  /** The path of a program; undefined if it is not installed. */
  static find(program: string): string | undefined {
    try {
      return realpathSync(execFileSync('which', [program], { encoding: 'utf8' }).trim())
    } catch {
      return undefined
    }
  }

  write(name: string, text: string): string {
    const path = join(this.folder, name)
    writeFileSync(path, text)
    return path
  }

  /** A program under a name that is a target. */
  link(name: string, program: string): string {
    const path = this.#targetPath(name)
    rmSync(path, { force: true })
    symlinkSync(program, path)
    return path
  }

  /** The same as a file of its own, for programs that rename their process. */
  copy(name: string, program: string): string {
    const path = this.#targetPath(name)
    // It may be a link, and must not be written through; or a program that still runs.
    rmSync(path, { force: true })
    copyFileSync(program, path)
    chmodSync(path, 0o755)
    return path
  }

  async start(command: string, args: readonly string[], port: number): Promise<void> {
    let output = ''
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], cwd: this.folder })
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => {
        output = (output + chunk).slice(-2000)
      })
    this.onStop(() => child.kill('SIGTERM'))
    await listens(port, child).catch(() => {
      throw new Error(`${command} does not listen: ${output}`)
    })
  }

  async run(command: string, args: readonly string[]): Promise<string> {
    const { stdout } = await run(command, args, { cwd: this.folder, timeout: 60_000 })
    return stdout
  }

  /** A server in this process, which is no target. Returns its port. */
  async serve(version: Version): Promise<number> {
    const limits = { minVersion: `TLSv${version}`, maxVersion: `TLSv${version}` } as const
    const server = createServer({ ...this.#pair, ...limits }, (request, response) =>
      response.end(`hello ${request.url}`),
    )
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    this.onStop(() => {
      server.closeAllConnections()
      server.close()
    })
    return (server.address() as AddressInfo).port
  }

  onStop(stop: () => void): void {
    this.#stops.push(stop)
  }

  stopAll(): void {
    for (const stop of this.#stops.splice(0).reverse()) stop()
  }

  remove(): void {
    this.stopAll()
    rmSync(this.folder, { recursive: true, force: true })
  }

  #targetPath(name: string): string {
    return join(this.folder, PREFIX + name)
  }
}

async function listens(port: number, child: ChildProcess): Promise<void> {
  for (let attempt = 0; attempt < 150 && child.exitCode === null; attempt++) {
    const socket = connect(port, '127.0.0.1')
    const isOpen = await new Promise<boolean>((resolve) => {
      socket.once('connect', () => resolve(true))
      socket.once('error', () => resolve(false))
    })
    socket.destroy()
    if (isOpen) return
    await sleep(100)
  }
  throw new Error('it does not listen')
}
