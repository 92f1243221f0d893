import { useEffect, useRef, useState } from 'react'
import { RateMeter } from '../../live/rate-meter.ts'
import type { NodeReport } from '../../live/session.ts'

export interface NodeRates {
  readonly packets: number | undefined
  readonly calls: number | undefined
  /** Percent of one CPU. */
  readonly cpu: number | undefined
}

/** Packets and calls a second of each node, by its name, from the counters of its reports. */
export function useNodeRates(nodes: readonly NodeReport[]): ReadonlyMap<string, NodeRates> {
  const meters = useRef(new Map<string, Record<keyof NodeRates, RateMeter>>())
  const [rates, setRates] = useState<ReadonlyMap<string, NodeRates>>(new Map())
  useEffect(() => {
    const now = performance.now()
    const next = new Map<string, NodeRates>()
    for (const { name, packets_captured, calls, process } of nodes) {
      const meter = meters.current.get(name) ?? {
        packets: new RateMeter(),
        calls: new RateMeter(),
        cpu: new RateMeter(),
      }
      meters.current.set(name, meter)
      next.set(name, {
        packets: meter.packets.read(packets_captured, now),
        calls: meter.calls.read(calls, now),
        cpu: process && meter.cpu.read(process.cpu_seconds * 100, now),
      })
    }
    for (const name of meters.current.keys()) if (!next.has(name)) meters.current.delete(name)
    setRates(next)
  }, [nodes])
  return rates
}
