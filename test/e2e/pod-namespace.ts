import { type ChildProcess, execFileSync, spawn } from 'node:child_process'

export const ip = (...args: string[]) => execFileSync('ip', args, { stdio: 'ignore' })

/** Why no namespaces can be made here; undefined: they can. */
export function whyNoNamespaces(): string | undefined {
  const name = `td-try-${process.pid}`
  try {
    ip('netns', 'add', name)
    ip('netns', 'del', name)
    return undefined
  } catch {
    return 'network namespaces cannot be made here (root and iproute2 are needed)'
  }
}

const server = `require('http').createServer((q, r) => r.end('ok')).listen(8080, '::', () => console.log('ready'))`

export interface Requests {
  /** What tells them apart: `/?from=…`. */
  readonly from: string
  readonly host: string
  readonly count: number
  /** The port of the first; the next ones follow. Default: chosen by the system. */
  readonly port?: number
}

/** One connection for each request, one after another. */
const client = ({ from, host, count, port }: Requests) => `
  const { request } = require('http')
  const next = (i) => i < ${count} && request({ host: '${host}', port: 8080, ${port === undefined ? '' : `localPort: ${port} + i, `}path: '/?from=${from}', agent: false },
    (r) => r.resume().on('end', () => next(i + 1))).end()
  next(0)`

/** A web server in a namespace. */
export async function serveIn(name: string): Promise<ChildProcess> {
  const child = spawn('ip', ['netns', 'exec', name, process.execPath, '-e', server])
  await new Promise((resolve) => child.stdout.once('data', resolve))
  return child
}

/** Resolves when all were answered. */
export function askIn(name: string, requests: Requests): Promise<unknown> {
  const child = spawn('ip', ['netns', 'exec', name, process.execPath, '-e', client(requests)])
  return new Promise((resolve) => child.once('exit', resolve))
}
