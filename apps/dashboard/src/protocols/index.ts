import type { Family, ProtocolLook } from './protocol-look.ts'

const look = (label: string, family: Family, request = 'Request', response = 'Response'): ProtocolLook => ({
  label,
  family,
  request,
  response,
})

/** THE list. A protocol that is not in it is shown all the same, in grey. */
const protocols: Readonly<Record<string, ProtocolLook>> = {
  http: look('HTTP', 'web'),
  graphql: look('GraphQL', 'web'),
  websocket: look('WS', 'web', 'Message', 'Answer'),
  grpc: look('gRPC', 'rpc'),
  redis: look('Redis', 'data', 'Command', 'Reply'),
  memcached: look('Memcd', 'data', 'Command', 'Reply'),
  postgresql: look('PgSQL', 'data', 'Statement', 'Result'),
  mysql: look('MySQL', 'data', 'Statement', 'Result'),
  cassandra: look('CQL', 'data', 'Statement', 'Result'),
  mongodb: look('Mongo', 'data', 'Command', 'Reply'),
  kafka: look('Kafka', 'messages'),
  amqp: look('AMQP', 'messages', 'Method', 'Answer'),
  mqtt: look('MQTT', 'messages', 'Packet', 'Acknowledgement'),
  nats: look('NATS', 'messages', 'Message', 'Acknowledgement'),
  smtp: look('SMTP', 'messages', 'Command', 'Reply'),
  dns: look('DNS', 'names', 'Question', 'Answer'),
  ldap: look('LDAP', 'access', 'Operation', 'Result'),
  radius: look('RADIUS', 'access'),
  diameter: look('Diam', 'access'),
  tls: look('TLS', 'transport', 'Client', 'Server'),
  quic: look('QUIC', 'transport', 'Client', 'Server'),
  icmp: look('ICMP', 'transport'),
  tcp: look('TCP', 'transport'),
  udp: look('UDP', 'transport'),
  sctp: look('SCTP', 'transport'),
}

export function protocolLook(name: string): ProtocolLook {
  return protocols[name] ?? look(name, 'transport')
}
