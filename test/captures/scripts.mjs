/** Every script that makes captures: the protocols it makes them for, and the programs it needs with Debian's names. */
export const scripts = [
  { script: 'http.mjs', protocols: ['http'], needs: { nginx: 'nginx', curl: 'curl' } },
  {
    script: 'http2.mjs',
    protocols: ['http2', 'grpc', 'graphql'],
    needs: { nghttpd: 'nghttp2-server', h2load: 'nghttp2-client', curl: 'curl' },
  },
  { script: 'websocket.mjs', protocols: ['websocket'], needs: {} },
  { script: 'tls.mjs', protocols: ['tls'], needs: { nginx: 'nginx', openssl: 'openssl', curl: 'curl' } },
  {
    script: 'dns.mjs',
    protocols: ['dns'],
    needs: { named: 'bind9', dig: 'bind9-dnsutils', nsupdate: 'bind9-dnsutils' },
  },
  { script: 'quic.mjs', protocols: ['quic'], needs: { chromium: 'chromium' } },
  {
    script: 'redis.mjs',
    protocols: ['redis'],
    needs: { 'redis-server': 'redis-server', 'redis-cli': 'redis-tools' },
  },
  { script: 'memcached.mjs', protocols: ['memcached'], needs: { memcached: 'memcached' } },
  { script: 'nats.mjs', protocols: ['nats'], needs: { 'nats-server': 'nats-server' } },
  {
    script: 'smtp.mjs',
    protocols: ['smtp'],
    needs: { exim4: 'exim4-daemon-heavy', swaks: 'swaks', openssl: 'openssl' },
  },
  { script: 'postgresql.sh', protocols: ['postgresql'], needs: { psql: 'postgresql', openssl: 'openssl' } },
  {
    script: 'mysql.sh',
    protocols: ['mysql'],
    needs: { mariadbd: 'mariadb-server', mariadb: 'mariadb-client', openssl: 'openssl' },
  },
  {
    script: 'amqp.sh',
    protocols: ['amqp'],
    needs: { 'rabbitmq-server': 'rabbitmq-server python3-pika python3-qpid-proton' },
  },
  {
    script: 'mqtt.sh',
    protocols: ['mqtt'],
    needs: { mosquitto: 'mosquitto', mosquitto_pub: 'mosquitto-clients' },
  },
  { script: 'kafka.sh', protocols: ['kafka'], needs: { gcc: 'gcc librdkafka-dev' } },
  { script: 'cassandra.sh', protocols: ['cassandra'], needs: { python3: 'python3' } },
  {
    script: 'ldap.sh',
    protocols: ['ldap'],
    needs: { slapd: 'slapd', ldapsearch: 'ldap-utils', openssl: 'openssl' },
  },
  {
    script: 'radius.sh',
    protocols: ['radius'],
    needs: { freeradius: 'freeradius', radclient: 'freeradius-utils' },
  },
  { script: 'diameter.sh', protocols: ['diameter'], needs: { python3: 'python3' } },
  { script: 'icmp.sh', protocols: ['icmp'], needs: { python3: 'python3' } },
]
