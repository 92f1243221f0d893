import type { S3Settings } from '../s3/s3-settings.ts'
import { S3Server } from './s3-server.ts'

/** A server for tests, with a bucket that they may fill below a prefix. */
export interface ChosenServer {
  readonly settings: S3Settings
  /** The variables that the credential chain of the SDK reads. */
  readonly environment: Readonly<Record<string, string>>
  /** Objects of one page of a listing. */
  readonly pageSize: number
  close(): Promise<void>
}

/**
 * The server that `TAPDECK_S3_ENDPOINT` names, of any maker, with the credentials of the environment; undefined where it is not set.
 * The bucket is `TAPDECK_S3_BUCKET`, or `tests`.
 */
export function externalServer(): ChosenServer | undefined {
  const { TAPDECK_S3_ENDPOINT: endpoint, TAPDECK_S3_BUCKET: bucket = 'tests', AWS_REGION } = process.env
  if (endpoint === undefined || endpoint === '') return undefined
  const { AWS_ACCESS_KEY_ID = '', AWS_SECRET_ACCESS_KEY = '' } = process.env
  return {
    settings: settingsOf(endpoint, bucket, AWS_REGION ?? 'us-east-1'),
    environment: { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY },
    pageSize: 1000,
    async close() {},
  }
}

/** Our own server; with `refusesConditions` as OpenStack Swift. */
export async function ownServer({ refusesConditions = false } = {}): Promise<ChosenServer> {
  const server = await S3Server.start()
  server.bucket.pageSize = 10
  server.bucket.refusesConditions = refusesConditions
  return {
    pageSize: server.bucket.pageSize,
    settings: settingsOf(server.endpoint, 'tests', 'us-east-1'),
    environment: server.environment,
    close: () => server.close(),
  }
}

function settingsOf(endpoint: string, bucket: string, region: string): S3Settings {
  return { ...{ bucket, prefix: '', endpoint, region, pathStyle: true }, ...{ encryption: '', kmsKey: '' } }
}
