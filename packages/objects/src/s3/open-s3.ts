import type { ObjectStore } from '../object-store.ts'
import { S3Objects } from './s3-objects.ts'
import type { S3Settings } from './s3-settings.ts'

/** The entry of a bundle of its own: only a hub that uses object storage loads the SDK. */
export function openS3(settings: S3Settings): ObjectStore {
  return new S3Objects(settings)
}
