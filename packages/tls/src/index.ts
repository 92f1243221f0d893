export { type CertificateContent, issueCertificate } from './certificate/issue-certificate.ts'
export { type CipherSpec, cipherSpec } from './cipher-spec.ts'
export {
  type ClosedReason,
  ConnectionDecryptor,
  type Handshake,
  TLS_1_2,
  TLS_1_3,
} from './connection-decryptor.ts'
export { expandLabel, type HashName } from './key-derivation.ts'
export {
  formatKeyLogEntry,
  type KeyLabel,
  type KeyLogEntry,
  parseKeyLog,
  parseKeyLogLine,
} from './key-log.ts'
export { type ConnectionSecrets, type KeySource, KeyStore } from './key-store.ts'
export { PacketOpener, type PacketPlace } from './quic/packet-opener.ts'
export { QuicCipher } from './quic/quic-cipher.ts'
export { CONTENT_TYPE, type OpenedRecord, RECORD_HEADER_LENGTH } from './record-cipher.ts'
export {
  createSealingKey,
  MAX_SEALED_BYTES,
  type OpenedRecords,
  openRecords,
  type SealingKey,
  sealRecord,
} from './sealing.ts'
