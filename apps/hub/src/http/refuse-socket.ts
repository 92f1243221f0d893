import type { Duplex } from 'node:stream'
import type { Problem } from '@tapdeck/api'
import { problemResponse } from './problem-response.ts'

const REFUSED_AFTER_MS = 1000

/** Writes a problem on a bare socket, and closes it. */
export function refuseSocket(socket: Duplex, problem: Problem): void {
  const response = problemResponse(problem)
  const body = JSON.stringify(problem.body())
  const lines = [
    `HTTP/1.1 ${problem.status} ${problem.body().title}`,
    ...[...response.headers].map(([name, value]) => `${name}: ${value}`),
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ]
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`)
  // Clients that do not close now are cut off.
  setTimeout(() => socket.destroy(), REFUSED_AFTER_MS).unref()
}
