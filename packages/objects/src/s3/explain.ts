import { type StorageFailure, StorageProblem } from '../storage-problem.ts'
import type { S3Settings } from './s3-settings.ts'

interface ServiceError {
  readonly name?: string
  readonly message?: string
  readonly code?: string
  readonly $metadata?: { readonly httpStatusCode?: number }
}

const DENIED = new Set([
  'AccessDenied',
  'InvalidAccessKeyId',
  'SignatureDoesNotMatch',
  'ExpiredToken',
  'Forbidden',
])
const REGION = new Set([
  'PermanentRedirect',
  'AuthorizationHeaderMalformed',
  'IllegalLocationConstraintException',
])
const FULL = new Set(['QuotaExceeded', 'XMinioStorageFull', 'InsufficientCapacity', 'XAmzQuotaExceeded'])
const EXISTS = new Set(['PreconditionFailed', 'ConditionalRequestConflict'])
const MISSING = new Set(['NoSuchKey', 'NoSuchUpload', 'NotFound'])

/** What an error of the SDK means for the operator, and what to do about it. */
export function explain(error: unknown, doing: string, settings: S3Settings): StorageProblem {
  if (error instanceof StorageProblem) return error
  const { name = '', message = '', code = '', $metadata } = error as ServiceError
  const status = $metadata?.httpStatusCode
  const kind = kindOf(name, code, status)
  const where = `bucket "${settings.bucket}"${settings.endpoint === '' ? '' : ` at ${settings.endpoint}`}`
  const answer = [status === undefined ? '' : String(status), name, message === name ? '' : message]
  const reason = answer.filter((part) => part !== '' && part !== 'Error' && part !== 'UnknownError').join(' ')
  return new StorageProblem(
    kind,
    `cannot ${doing} in ${where}: ${reason}. ${advice(kind, settings)}`.trim(),
    error,
  )
}

function kindOf(name: string, code: string, status: number | undefined): StorageFailure {
  if (name === 'CredentialsProviderError') return 'denied'
  if (name === 'NoSuchBucket') return 'no_bucket'
  if (REGION.has(name) || status === 301) return 'wrong_region'
  if (name === 'NotImplemented' || status === 501) return 'unsupported'
  if (FULL.has(name) || status === 507) return 'full'
  if (EXISTS.has(name) || status === 412) return 'exists'
  if (MISSING.has(name) || status === 404) return 'missing'
  if (DENIED.has(name) || status === 401 || status === 403) return 'denied'
  if (status === undefined || status >= 500 || status === 429 || code !== '') return 'unreachable'
  return 'failed'
}

function advice(kind: StorageFailure, { region, bucket }: S3Settings): string {
  switch (kind) {
    case 'denied':
      return 'Check the credentials of the hub, and that they may read, write, list and delete there.'
    case 'no_bucket':
      return `Create the bucket, or correct tap.snapshots.s3.bucket ("${bucket}").`
    case 'wrong_region':
      return `The bucket is in another region than "${region}". Correct tap.snapshots.s3.region.`
    case 'full':
      return 'Free space there, raise its quota, or set tap.snapshots.local.retention.'
    case 'unsupported':
      return 'Use a storage that has what Tapdeck asks for: docs/object-storage.md names those that were tried.'
    case 'unreachable':
      return 'Check tap.snapshots.s3.endpoint and the network between hub and storage.'
    default:
      return ''
  }
}
