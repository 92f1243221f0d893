import type { Fields } from '../../contract/dissector.ts'

export const fields = {
  quic_version: {
    type: 'string',
    path: 'quic.version',
    doc: 'Version of QUIC: 1, 2 or draft 29',
    example: 'quic_version == "1"',
  },
  quic_sni: {
    type: 'string',
    path: 'quic.sni',
    doc: 'Server name that the client asked for',
    example: 'quic_sni.endsWith(".example.com")',
  },
  quic_alpn: {
    type: 'list',
    path: 'quic.alpn',
    doc: 'Application protocols that the client offered',
    example: '"h3" in quic_alpn',
  },
  quic_cipher_suite: {
    type: 'string',
    path: 'quic.cipher_suite',
    doc: 'Name of the chosen cipher suite',
    example: 'quic_cipher_suite == "TLS_AES_128_GCM_SHA256"',
  },
  quic_ja4: {
    type: 'string',
    path: 'quic.ja4',
    doc: 'Fingerprint of the client',
    example: 'quic_ja4.startsWith("q13d")',
  },
  quic_error: {
    type: 'string',
    path: 'quic.error',
    doc: 'Error that ended the handshake, or the TLS alert',
    example: 'quic_error == "CONNECTION_REFUSED"',
  },
  quic_decrypted: {
    type: 'boolean',
    path: 'quic.decrypted',
    doc: 'The keys of the connection are known, and what it carries is dissected as separate calls',
    example: 'quic_decrypted',
  },
  quic_not_decrypted: {
    type: 'string',
    path: 'quic.not_decrypted',
    doc: 'Where keys were given: why this connection could not be opened (no_key, unsupported_suite, handshake_not_recorded)',
    example: 'quic_not_decrypted == "no_key"',
  },
} as const satisfies Fields
