import type { shapes } from '@tapdeck/api'
import type { z } from 'zod'
import { listEvents } from './events.ts'
import type { HubServices } from './hub-services.ts'
import type { RequestContext } from './request-context.ts'

/** Milliseconds before and after a call in which its pods and processes are looked at. */
const AROUND = 30_000
const MOST = 20

type Event = z.input<typeof shapes.event>

interface End {
  readonly ip?: unknown
  readonly port?: unknown
  readonly pod?: unknown
  readonly svc?: unknown
  readonly process?: unknown
  readonly workload?: unknown
  readonly node?: unknown
}

/** What happened to the pods and processes of a call at about its time, oldest first. */
export async function callEvents(
  { ts, latency_ms = 0, src, dst }: z.input<typeof shapes.call>,
  db: string | undefined,
  services: HubServices,
  context: RequestContext,
): Promise<Event[]> {
  const ends: readonly End[] = [src, dst]
  const names = ends.flatMap(({ pod, svc, process, workload, node }) => [pod, svc, process, workload, node])
  const wanted = [...new Set(names.filter((name): name is string => typeof name === 'string' && name !== ''))]
  const window = { start: ts - AROUND, end: ts + latency_ms + AROUND }
  const pages = await Promise.all(
    wanted.map((name) =>
      listEvents({ db, ...window, name, limit: 200, order: 'newest' as const }, services, context),
    ),
  )
  const sockets = new Set(ends.map(({ ip, port }) => `${ip}:${port}`))
  const all = pages.flatMap(({ events }) => events).filter((event) => wanted.includes(nameOf(event)))
  const owns = ({ type, local }: Event) => type === 'listen_open' || sockets.has(String(local))
  const owners = new Set(all.filter(owns).map(({ pid }) => pid))
  // Of several processes of one name, those that have to do with its connection.
  const found = all.filter((event) => (event.local === undefined ? isOf(owners, event) : owns(event)))
  const nearest = found.sort((a, b) => Math.abs(a.ts - ts) - Math.abs(b.ts - ts)).slice(0, MOST)
  return nearest.sort((a, b) => a.ts - b.ts)
}

function nameOf({ comm, name }: Event): string {
  return String(comm ?? name)
}

function isOf(owners: ReadonlySet<unknown>, { kind, pid }: Event): boolean {
  return kind === 'cluster' || owners.size === 0 || owners.has(pid)
}
