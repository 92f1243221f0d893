export { recordTls, type TlsExchange } from './record-tls.ts'
export { type RecordedBytes, RecordingProxy } from './recording-proxy.ts'
export { selfSignedPem } from './self-signed-pem.ts'
