import { connect, type NetConnectOpts, type Socket } from 'node:net'

const CONNECT_WITHIN_MS = 10_000
/** Another socket has the port, or has just had it with the same server; or the kernel keeps it for others. */
const TAKEN = new Set(['EADDRINUSE', 'EADDRNOTAVAIL', 'EACCES'])

/** Connects from the first of these local ports that is free; from any port if none is. */
export async function connectFrom(ports: readonly number[], options: NetConnectOpts): Promise<Socket> {
  for (const localPort of ports)
    try {
      return await connected({ ...options, localPort } as NetConnectOpts)
    } catch (error) {
      if (!TAKEN.has((error as NodeJS.ErrnoException).code ?? '')) throw error
    }
  return connected(options)
}

function connected(options: NetConnectOpts): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(options)
    const late = () =>
      socket.destroy(Object.assign(new Error('connecting took too long'), { code: 'ETIMEDOUT' }))
    socket.setTimeout(CONNECT_WITHIN_MS, late)
    socket.once('error', reject)
    socket.once('connect', () => {
      socket.off('error', reject)
      socket.off('timeout', late)
      socket.setTimeout(options.timeout ?? 0)
      resolve(socket)
    })
  })
}
