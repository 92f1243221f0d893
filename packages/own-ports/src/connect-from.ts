import { lookup } from 'node:dns'
import { connect, type LookupFunction, type NetConnectOpts, type Socket } from 'node:net'

const CONNECT_WITHIN_MS = 10_000
/** Another socket has the port, alone or with the same server; or the kernel keeps it for others. */
const TAKEN = new Set(['EADDRINUSE', 'EADDRNOTAVAIL', 'EACCES'])

/** Connects from the first of these local ports that is free; from any port if none is. Rejects when `signal` aborts. */
export async function connectFrom(
  ports: readonly number[],
  options: NetConnectOpts,
  signal: AbortSignal,
): Promise<Socket> {
  const all = { ...options, lookup: lookedUpOnce((options as { lookup?: LookupFunction }).lookup) }
  for (const localPort of ports)
    try {
      return await connected({ ...all, localPort } as NetConnectOpts, signal)
    } catch (error) {
      if (!isTaken(error)) throw error
    }
  return connected(all as NetConnectOpts, signal)
}

/** All attempts of one connection go to the same addresses. */
function lookedUpOnce(look: LookupFunction = lookup as LookupFunction): LookupFunction {
  let answer: Parameters<Parameters<LookupFunction>[2]> | undefined
  return (name, options, done) => {
    if (answer) return done(...answer)
    look(name, options, (...all) => {
      answer = all
      done(...all)
    })
  }
}

/** Of a name with several addresses each one failed: the port may have been taken only for the one that is there. */
function isTaken(error: unknown): boolean {
  const { code = '', errors = [] } = error as NodeJS.ErrnoException & { errors?: readonly unknown[] }
  return TAKEN.has(code) || errors.some(isTaken)
}

function connected(options: NetConnectOpts, signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(options)
    const end = (code: string, message: string) => () =>
      socket.destroy(Object.assign(new Error(message), { code }))
    const closed = end('ECONNRESET', 'the agent was closed')
    const late = end('ETIMEDOUT', 'connecting took too long')
    if (signal.aborted) closed()
    signal.addEventListener('abort', closed, { once: true })
    socket.setTimeout(CONNECT_WITHIN_MS, late)
    socket.on('error', (error) => {
      signal.removeEventListener('abort', closed)
      reject(error)
    })
    socket.once('connect', () => {
      signal.removeEventListener('abort', closed)
      socket.off('timeout', late)
      socket.setTimeout(options.timeout ?? 0)
      resolve(socket)
    })
  })
}
