import { rm } from 'node:fs/promises'
import { afterAll, beforeAll } from 'vitest'
import { bundleThread } from './bundle-thread.ts'

/** The dissecting thread for the tests of a file: made before the first of them, gone after the last. */
export function threadForTests(): () => URL {
  let thread: URL
  beforeAll(async () => {
    thread = await bundleThread()
  })
  afterAll(() => rm(new URL('.', thread), { recursive: true }))
  return () => thread
}
