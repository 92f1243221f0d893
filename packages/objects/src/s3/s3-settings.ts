import type { PortRange } from '@tapdeck/units'

/** Where a bucket is. Credentials come from the environment, as the AWS tools find them. */
export interface S3Settings {
  readonly bucket: string
  /** Empty, or ends with `/`. */
  readonly prefix: string
  /** Empty: that of AWS for the region. */
  readonly endpoint: string
  /** Empty: as the environment says, else us-east-1. */
  readonly region: string
  /** The bucket is in the path, not in the host name. */
  readonly pathStyle: boolean
  /** Server-side encryption; empty: what the bucket does by default. */
  readonly encryption: '' | 'AES256' | 'aws:kms'
  /** Empty: the key of the bucket's account. */
  readonly kmsKey: string
  /** The source ports of connections; absent: any. */
  readonly ports?: PortRange
}
