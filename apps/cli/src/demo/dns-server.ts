import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { encodeAnswer, questionName } from './dns-message.ts'
import { type DemoPod, namespace, shop } from './shop.ts'

/** Answers for the services of the shop; other names do not exist. */
export async function startDnsServer({ ip, port }: DemoPod): Promise<Socket> {
  const turns = new Map<string, number>()
  const socket = createSocket('udp4', (query, from) => {
    const name = questionName(query)
    if (name !== undefined)
      socket.send(encodeAnswer(query, name, addressOf(name, turns)), from.port, from.address)
  })
  socket.bind(port, ip)
  await once(socket, 'listening')
  return socket
}

export const domain = `${namespace}.svc.cluster.local`

function addressOf(name: string, turns: Map<string, number>): string | undefined {
  if (!name.endsWith(`.${domain}`)) return undefined
  const pods = Object.entries(shop).find(([service]) => name === `${service}.${domain}`)?.[1]
  if (pods === undefined) return undefined
  const turn = turns.get(name) ?? 0
  turns.set(name, turn + 1)
  return pods[turn % pods.length]!.ip
}
