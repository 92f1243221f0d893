import { S3Server } from '@tapdeck/objects/testing'
import { afterEach, beforeEach, vi } from 'vitest'

/** A bucket for each test of a file, and the settings of a hub that uses it. */
export function bucketForTests(): { readonly server: S3Server; readonly settings: string[] } {
  let server: S3Server
  beforeEach(async () => {
    server = await S3Server.start()
    for (const [name, value] of Object.entries(server.environment)) vi.stubEnv(name, value)
  })
  afterEach(async () => {
    await server.close()
    vi.unstubAllEnvs()
  })
  return {
    get server() {
      return server
    },
    get settings() {
      const s3 = { bucket: 'tests', endpoint: server.endpoint, pathStyle: 'true' }
      const set = Object.entries(s3).map(([key, value]) => `tap.snapshots.s3.${key}=${value}`)
      return ['tap.snapshots.storage=s3', ...set]
    },
  }
}
