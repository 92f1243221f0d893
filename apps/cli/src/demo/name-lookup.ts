import { createSocket } from 'node:dgram'
import { setTimeout as sleep } from 'node:timers/promises'
import { encodeQuery } from './dns-message.ts'
import { domain } from './dns-server.ts'
import { type DemoPod, type ShopService, shop } from './shop.ts'

const rememberMs = 3000
const remembered = new Map<string, { readonly pod: DemoPod; readonly until: number }>()

/** Asks the shop's DNS, as a pod would, and remembers the answer for a moment. */
export async function lookup(asker: DemoPod, service: ShopService): Promise<DemoPod> {
  const key = `${asker.name} ${service}`
  const known = remembered.get(key)
  if (known && known.until > Date.now()) return known.pod
  const ip = await ask(asker, `${service}.${domain}`)
  const pods: readonly DemoPod[] = shop[service]
  const pod = pods.find((one) => one.ip === ip) ?? pods[0]!
  remembered.set(key, { pod, until: Date.now() + rememberMs })
  return pod
}

/** The address, or undefined if the name does not exist or no server answers. */
export async function ask(asker: DemoPod, name: string): Promise<string | undefined> {
  const socket = createSocket('udp4')
  const answer = new Promise<Buffer>((resolve, reject) =>
    socket.once('message', resolve).once('error', reject),
  )
  try {
    await new Promise<void>((resolve) => socket.bind(0, asker.ip, resolve))
    socket.send(encodeQuery(Math.floor(Math.random() * 65_536), name), shop.dns[0].port, shop.dns[0].ip)
    const message = await Promise.race([answer, sleep(1000, undefined, { ref: false })])
    if (message === undefined || (message[3]! & 15) !== 0 || message.length < 4) return undefined
    return [...message.subarray(-4)].join('.')
  } finally {
    socket.close()
  }
}
