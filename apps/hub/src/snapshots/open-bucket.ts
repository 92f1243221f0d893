import type { Config } from '@tapdeck/config'
import type { ObjectStore } from '@tapdeck/objects'
import { parsePortRange } from '@tapdeck/units'

/** The bucket of the configuration; undefined where snapshots stay on this disk. Only this loads the SDK. */
export async function openBucket({ tap }: Config): Promise<ObjectStore | undefined> {
  const { storage, s3 } = tap.snapshots
  if (storage === 'local') return undefined
  if (s3.bucket === '')
    throw new Error(
      'tap.snapshots.storage is s3, and tap.snapshots.s3.bucket is empty. Set it to the name of a bucket.',
    )
  const { openS3 } = await import('@tapdeck/objects/s3')
  const ports = parsePortRange(tap.capture.ownPorts)
  return openS3({ ...s3, ...(ports && { ports }) })
}
