import type { Config } from '@tapdeck/config'
import { type PortRange, parsePortRange } from '@tapdeck/units'
import type { OwnPorts } from '../capture/reject-own.ts'
import { isShared, portWarning, readClientPorts } from './client-ports.ts'
import { ownPorts } from './link-address.ts'

/** What the capture leaves out as Tapdeck's own traffic. */
export interface OwnTraffic extends OwnPorts {
  /** What an operator should know about it. */
  readonly warnings: readonly string[]
}

/** `hub`: the address of the hub. `clients`: the ports that the kernel gives to clients. */
export function ownTraffic(config: Config, hub: URL, clients = readClientPorts()): OwnTraffic {
  const { captureSelf, ownPorts: range } = config.tap.capture
  if (captureSelf) return { exceptPorts: [], warnings: [] }
  const { probePort } = config.tap
  const exceptPorts = [...ownPorts(hub, config.hub), ...(probePort === 0 ? [] : [probePort])]
  const own = usesServers(config) ? parsePortRange(range) : undefined
  const shared = own && clients && isShared(own, clients)
  const warnings = [portWarning(exceptPorts, clients), shared ? sharedWarning(own, clients) : undefined]
  return {
    exceptPorts,
    // What clients of other programs may use too is recorded.
    ...(own && !shared && { exceptClients: own }),
    warnings: warnings.filter((text) => text !== undefined),
  }
}

/** Whether there are connections from own ports: others may have these ports too, so without need nothing is left out. */
function usesServers({ tap }: Config): boolean {
  return tap.snapshots.storage === 's3' || tap.index.engine === 'clickhouse' || tap.telemetry.otlp.enabled
}

function sharedWarning(own: PortRange, clients: PortRange): string {
  return (
    "Tapdeck's own connections to object storage, ClickHouse and OpenTelemetry are recorded, because tap.capture.ownPorts " +
    `(${own.first} to ${own.last}) is within the ephemeral range ${clients.first} to ${clients.last}. Choose ports outside of it, or ` +
    'reserve them (net.ipv4.ip_local_reserved_ports).'
  )
}
