import type { Ours } from './ours.ts'

/** tshark's names where they differ. A missing protocol cannot be selected by a port, or is unknown to tshark. */
const NAMES: Readonly<Record<string, string>> = {
  amqp: 'amqp',
  cassandra: 'cql',
  diameter: 'diameter',
  dns: 'dns',
  http: 'http',
  http2: 'http2',
  kafka: 'kafka',
  ldap: 'ldap',
  memcached: 'memcache',
  mongodb: 'mongo',
  mqtt: 'mqtt',
  mysql: 'mysql',
  postgresql: 'pgsql',
  quic: 'quic',
  radius: 'radius',
  redis: 'resp',
  smtp: 'smtp',
  tls: 'tls',
}

/** tshark goes by ports. We tell it which to look at; what it sees there, it says itself. */
export function decodeAs(flows: Ours['flows']): string[] {
  const rules = new Set<string>()
  for (const { flow, spoken } of flows) {
    const name = NAMES[spoken[0]]
    if (name !== undefined && (flow.transport === 'tcp' || flow.transport === 'udp'))
      rules.add(`${flow.transport}.port==${flow.ends[1].port},${name}`)
  }
  return [...rules]
}
