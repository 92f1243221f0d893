export { type RecordedBytes, recordTls, type TlsExchange } from './record-tls.ts'
export { selfSignedPem } from './self-signed-pem.ts'
