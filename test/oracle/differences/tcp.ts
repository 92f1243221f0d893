import { explain, NONE } from '../explain.ts'

export const tcp = [
  ...explain(
    'tcp',
    'http/closed',
    'A refused connection: tshark counts the RST as the end of a handshake. Or rounding of a fraction of a microsecond.',
    ['initial_rtt', NONE, '12'],
  ),
  ...explain(
    'tcp',
    'dns_mx.pcap',
    'The last packet of a connection whose beginning was not captured: tshark shows 0, we show what was captured.',
    ['completeness', '20', '0'],
  ),
  ...explain(
    'tcp',
    'http_100_continue.pcap',
    'A refused connection: tshark counts the RST as the end of a handshake. Or rounding of a fraction of a microsecond.',
    ['initial_rtt', NONE, '*', 24],
  ),
  ...explain(
    'tcp',
    'http_get_2k_file.pcap',
    'A refused connection: tshark counts the RST as the end of a handshake. Or rounding of a fraction of a microsecond.',
    ['initial_rtt', NONE, '21'],
  ),
  ...explain('tcp', 'http_get_2k_file.pcap', 'The ACKs of a repeated FIN, after both sides had closed.', [
    'duplicate_acks',
    '0',
    '2',
  ]),
  ...explain(
    'tcp',
    'http_unmatched_timeout.pcap',
    'A refused connection: tshark counts the RST as the end of a handshake. Or rounding of a fraction of a microsecond.',
    ['initial_rtt', NONE, '42'],
  ),
  ...explain(
    'tcp',
    'memcache/memcache_text_tcp_single_load_store.pcap',
    'A refused connection: tshark counts the RST as the end of a handshake. Or rounding of a fraction of a microsecond.',
    ['initial_rtt', '0', '1'],
  ),
  ...explain(
    'tcp',
    'thrift_echo_binary.pcap',
    'Every packet is in the file twice, and some again after the connection was closed: we do not count those.',
    ['retransmissions', '6', '22'],
    ['duplicate_acks', '3', '4'],
    ['fins', '4', '8'],
  ),
  ...explain(
    'tcp',
    'wsgi_drum.pcap',
    'Every packet is in the file twice, and some again after the connection was closed: we do not count those.',
    ['message', 'event tcp', NONE],
    ['retransmissions', '*', '*', 14],
    ['duplicate_acks', '6', '7', 4],
    ['duplicate_acks', '4', '5', 7],
    ['duplicate_acks', '3', '4', 4],
    ['duplicate_acks', '8', '9'],
    ['fins', '4', '31'],
  ),
  ...explain(
    'tcp',
    'wsgi_loopback.pcap',
    'Every packet is in the file twice, and some again after the connection was closed: we do not count those.',
    ['retransmissions', '14', '25'],
    ['duplicate_acks', '6', '7'],
  ),
]
