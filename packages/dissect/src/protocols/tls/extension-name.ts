import { isGrease } from './hello.ts'

/** IANA's extension types, the ones that are met. */
const NAMES: Readonly<Record<number, string | undefined>> = {
  0: 'server_name',
  1: 'max_fragment_length',
  5: 'status_request',
  10: 'supported_groups',
  11: 'ec_point_formats',
  13: 'signature_algorithms',
  14: 'use_srtp',
  15: 'heartbeat',
  16: 'application_layer_protocol_negotiation',
  17: 'status_request_v2',
  18: 'signed_certificate_timestamp',
  19: 'client_certificate_type',
  20: 'server_certificate_type',
  21: 'padding',
  22: 'encrypt_then_mac',
  23: 'extended_master_secret',
  27: 'compress_certificate',
  28: 'record_size_limit',
  34: 'delegated_credential',
  35: 'session_ticket',
  41: 'pre_shared_key',
  42: 'early_data',
  43: 'supported_versions',
  44: 'cookie',
  45: 'psk_key_exchange_modes',
  47: 'certificate_authorities',
  48: 'oid_filters',
  49: 'post_handshake_auth',
  50: 'signature_algorithms_cert',
  51: 'key_share',
  57: 'quic_transport_parameters',
  13172: 'next_protocol_negotiation',
  17513: 'application_settings',
  17613: 'application_settings',
  65037: 'encrypted_client_hello',
  65281: 'renegotiation_info',
}

export function extensionName(type: number): string {
  return isGrease(type) ? 'GREASE' : (NAMES[type] ?? `0x${type.toString(16).padStart(4, '0')}`)
}
