import { setTimeout as sleep } from 'node:timers/promises'
import { CommandFailed } from '../command-failed.ts'
import { behaviours, nextVisit } from './behaviour.ts'
import { domain, startDnsServer } from './dns-server.ts'
import type { FaultSwitch } from './faults.ts'
import { startHttpService } from './http-service.ts'
import { ask } from './name-lookup.ts'
import { Outgoing } from './outgoing.ts'
import { shop, visitor } from './shop.ts'

export interface DemoCounts {
  visits: number
  failed: number
  skipped: number
}

const mostAtOnce = 64
/** One visit in so many asks for a name that does not exist. */
const wrongNames = 20

/** Opens the shop and returns what closes it. Throws `CommandFailed` where an address is taken. */
export async function openShop(fault: FaultSwitch): Promise<() => void> {
  const closers = await openServices(fault)
  return () => {
    for (const close of closers) close()
  }
}

/** Sends visitors at the rate until the signal. */
export async function sendVisitors(ratePerSecond: number, signal: AbortSignal): Promise<DemoCounts> {
  const counts: DemoCounts = { visits: 0, failed: 0, skipped: 0 }
  const browser = new Outgoing(visitor)
  const underway = new Set<Promise<void>>()
  const started = performance.now()
  for (let turn = 1; !signal.aborted; turn++) {
    if (underway.size >= mostAtOnce) counts.skipped++
    else {
      const visit = visitOnce(browser, counts).finally(() => underway.delete(visit))
      underway.add(visit)
    }
    if (turn % wrongNames === 0) void ask(visitor, `catalogue.${domain}`).catch(() => undefined)
    const next = started + (turn * 1000) / ratePerSecond
    await sleep(Math.max(0, next - performance.now()), undefined, { signal }).catch(() => undefined)
  }
  await Promise.all(underway)
  browser.close()
  return counts
}

async function visitOnce(browser: Outgoing, counts: DemoCounts): Promise<void> {
  counts.visits++
  try {
    const { method, path, body } = nextVisit()
    const { status } = await browser.call('frontend', method, path, body)
    if (status >= 500) counts.failed++
  } catch {
    counts.failed++
  }
}

async function openServices(fault: FaultSwitch): Promise<(() => void)[]> {
  const closers: (() => void)[] = []
  try {
    const dns = await startDnsServer(shop.dns[0])
    closers.push(() => dns.close())
    for (const [service, behave] of Object.entries(behaviours))
      for (const pod of shop[service as keyof typeof behaviours]) {
        const others = new Outgoing(pod)
        const server = await startHttpService(pod, fault.behaviour(pod, behave), others)
        const stopListening = () => {
          server.close()
          server.closeAllConnections()
        }
        fault.onThrow(pod, stopListening)
        closers.push(() => {
          others.close()
          stopListening()
        })
      }
    return closers
  } catch (error) {
    for (const close of closers) close()
    const { code, address, port } = error as NodeJS.ErrnoException & { address?: string; port?: number }
    if (code === 'EADDRINUSE')
      throw new CommandFailed(`${address}:${port} is taken`, { hint: 'Is a demo running already?' })
    if (code === 'EADDRNOTAVAIL')
      throw new CommandFailed(`this machine has no address ${address}`, {
        hint: 'The demo needs the whole of 127.0.0.0/8 on the loopback interface, as Linux has it.',
      })
    throw error
  }
}
