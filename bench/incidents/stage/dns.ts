import { createSocket } from 'node:dgram'
import { encodeAnswer, encodeQuery, questionName } from '../../../apps/cli/src/demo/dns-message.ts'
import type { Stage } from './stage.ts'

const PORT = 53
const TIMEOUT_MS = 1500

/** A name server. `resolve` gives an address, or undefined for a name that does not exist. */
export async function serveDns(
  stage: Stage,
  service: string,
  resolve: (name: string) => string | undefined,
): Promise<void> {
  const socket = createSocket('udp4')
  socket.on('message', (query, { port, address }) => {
    const name = questionName(query)
    if (name !== undefined) socket.send(encodeAnswer(query, name, resolve(name)), port, address)
  })
  await new Promise<void>((done) => socket.bind(PORT, stage.pod(service).ip, done))
}

/** Asks for a name from the address of a pod; undefined: no such name. */
export async function lookup(
  stage: Stage,
  from: string,
  server: string,
  name: string,
): Promise<string | undefined> {
  const socket = createSocket('udp4')
  await new Promise<void>((done) => socket.bind(0, stage.pod(from).ip, done))
  try {
    const answer = await new Promise<Buffer>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error('no answer')), TIMEOUT_MS)
      socket.once('message', (bytes) => {
        clearTimeout(timer)
        resolve(bytes)
      })
      socket.send(encodeQuery(Math.floor(stage.random() * 65_535), name), PORT, stage.pod(server).ip)
    })
    const hasAddress = answer.readUInt16BE(6) > 0
    return hasAddress ? [...answer.subarray(-4)].join('.') : undefined
  } finally {
    socket.close()
  }
}
