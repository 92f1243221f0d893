import { amqp } from './differences/amqp.ts'
import { cassandra } from './differences/cassandra.ts'
import { dns } from './differences/dns.ts'
import { http } from './differences/http.ts'
import { http2 } from './differences/http2.ts'
import { kafka } from './differences/kafka.ts'
import { ldap } from './differences/ldap.ts'
import { memcached } from './differences/memcached.ts'
import { mongodb } from './differences/mongodb.ts'
import { mqtt } from './differences/mqtt.ts'
import { mysql } from './differences/mysql.ts'
import { postgresql } from './differences/postgresql.ts'
import { radius } from './differences/radius.ts'
import { redis } from './differences/redis.ts'
import { smtp } from './differences/smtp.ts'
import { tcp } from './differences/tcp.ts'
import { tls } from './differences/tls.ts'
import type { Explained } from './explained.ts'

/** Every place where tshark and we do not say the same, with the reason. */
const differences: readonly Explained[] = [
  ...amqp,
  ...cassandra,
  ...dns,
  ...http,
  ...http2,
  ...kafka,
  ...ldap,
  ...memcached,
  ...mongodb,
  ...mqtt,
  ...mysql,
  ...postgresql,
  ...radius,
  ...redis,
  ...smtp,
  ...tcp,
  ...tls,
]

const isPublic = ({ capture }: Explained) => capture.endsWith('.pcap')

export const ownDifferences = differences.filter((one) => !isPublic(one))
export const publicDifferences = differences.filter(isPublic)
