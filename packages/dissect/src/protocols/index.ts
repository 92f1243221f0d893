import type { Dissector } from '../contract/dissector.ts'
import { amqp } from './amqp/index.ts'
import { cassandra } from './cassandra/index.ts'
import { diameter } from './diameter/index.ts'
import { dns } from './dns/index.ts'
import { graphql } from './graphql/index.ts'
import { grpc } from './grpc/index.ts'
import { http } from './http/index.ts'
import { http2 } from './http2/index.ts'
import { http3 } from './http3/index.ts'
import { icmp } from './icmp/index.ts'
import { kafka } from './kafka/index.ts'
import { ldap } from './ldap/index.ts'
import { memcached } from './memcached/index.ts'
import { mongodb } from './mongodb/index.ts'
import { mqtt } from './mqtt/index.ts'
import { mysql } from './mysql/index.ts'
import { nats } from './nats/index.ts'
import { postgresql } from './postgresql/index.ts'
import { quic } from './quic/index.ts'
import { radius } from './radius/index.ts'
import { redis } from './redis/index.ts'
import { sctp } from './sctp/index.ts'
import { smtp } from './smtp/index.ts'
import { tcp } from './tcp/index.ts'
import { tls } from './tls/index.ts'
import { udp } from './udp/index.ts'
import { websocket } from './websocket/index.ts'

/** THE list, in the order in which an unknown flow is asked: the surest of its own first. */
export const protocols = {
  http,
  tls,
  websocket,
  http2,
  http3,
  grpc,
  graphql,
  postgresql,
  mysql,
  mongodb,
  kafka,
  cassandra,
  redis,
  memcached,
  nats,
  smtp,
  amqp,
  mqtt,
  ldap,
  diameter,
  quic,
  dns,
  radius,
  icmp,
  tcp,
  udp,
  sctp,
} as const satisfies Record<string, Dissector>

const byName: Readonly<Record<string, Dissector | undefined>> = protocols

export function protocolNamed(name: string): Dissector | undefined {
  return Object.hasOwn(byName, name) ? byName[name] : undefined
}
