import { z } from 'zod'

/** Fields of a snapshot that say where its packets are. */
export const snapshotPlace = {
  location: z
    .enum(['local', 's3'])
    .optional()
    .describe('Where the packets are. Absent without object storage'),
  upload_error: z
    .string()
    .optional()
    .describe('Why the last upload to the object storage failed. It is retried'),
}
