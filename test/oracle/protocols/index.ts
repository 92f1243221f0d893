import type { Mapping } from '../mapping.ts'
import { amqp } from './amqp.ts'
import { modernAmqp } from './amqp-1.0.ts'
import { cassandra } from './cassandra.ts'
import { diameter } from './diameter.ts'
import { dns } from './dns.ts'
import { http } from './http.ts'
import { http2 } from './http2.ts'
import { icmp } from './icmp.ts'
import { kafka } from './kafka.ts'
import { ldap } from './ldap.ts'
import { memcached } from './memcached.ts'
import { mongodb } from './mongodb.ts'
import { mqtt } from './mqtt.ts'
import { mysql } from './mysql.ts'
import { postgresql } from './postgresql.ts'
import { quic } from './quic.ts'
import { radius } from './radius.ts'
import { redis } from './redis.ts'
import { smtp } from './smtp.ts'
import { tcp } from './tcp.ts'
import { tls } from './tls.ts'
import { websocket } from './websocket.ts'

/** Every protocol that both of us know. */
export const mappings: readonly Mapping[] = [
  http,
  http2,
  websocket,
  tls,
  postgresql,
  mysql,
  mongodb,
  kafka,
  cassandra,
  redis,
  memcached,
  smtp,
  amqp,
  modernAmqp,
  mqtt,
  ldap,
  diameter,
  quic,
  dns,
  radius,
  icmp,
  tcp,
]
