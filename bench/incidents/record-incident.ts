import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Inventory } from '@tapdeck/inventory'
import type { PlantedIncident } from './incident.ts'
import { podsOf } from './stage/stage.ts'

/** Plays an incident in a network namespace of its own and records all that crosses it. */
export async function recordIncident({ name, services }: PlantedIncident, file: string): Promise<void> {
  const space = `tapdeck-incident-${process.pid}`
  const ip = (...words: string[]) => execFileSync('ip', words)
  ip('netns', 'add', space)
  try {
    const within = ['netns', 'exec', space]
    ip(...within, 'ip', 'link', 'set', 'lo', 'up', 'mtu', '1500')
    for (const pod of podsOf(services)) ip(...within, 'ip', 'address', 'add', `${pod.ip}/32`, 'dev', 'lo')
    const recorder = spawn(
      'ip',
      [...within, 'tcpdump', '-i', 'lo', '-U', '-s', '0', '-B', '16384', '-w', file],
      {
        stdio: ['ignore', 'ignore', 'pipe'],
      },
    )
    // "listening on": from here on nothing is missed.
    await once(recorder.stderr, 'data')
    const script = join(import.meta.dirname, 'incidents', 'stage.mjs')
    const player = spawn('ip', [...within, process.execPath, script, name], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    // It prints a line when the load ends, and then waits: its connections stay open until nothing is recorded any more.
    const isOver = once(player.stdout, 'data').then(() => true)
    const hasEnded = once(player, 'exit').then(() => false)
    const isWhole = await Promise.race([isOver, hasEnded])
    recorder.kill('SIGINT')
    await once(recorder, 'exit')
    player.kill('SIGKILL')
    await hasEnded
    if (!isWhole) throw new Error(`${name}: its servers ended before the load did`)
  } finally {
    ip('netns', 'delete', space)
  }
}

/** The names of its pods and services. */
export function inventoryOf({ services }: PlantedIncident): Inventory {
  const namespace = 'shop'
  const pods = podsOf(services)
  return {
    pods: pods.map(({ name, service, ip }) => ({
      name,
      namespace,
      ips: [ip],
      node: 'node-1',
      labels: { app: service },
    })),
    services: Object.keys(services).map((name) => ({
      name,
      namespace,
      endpoints: pods.filter(({ service }) => service === name).map(({ ip }) => ({ ip })),
    })),
  }
}
