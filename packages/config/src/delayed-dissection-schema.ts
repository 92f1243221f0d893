import { z } from 'zod'
import { durationOrZero } from './notation.ts'

/** How snapshots are dissected. */
export const delayedDissection = z.strictObject({
  parallel: z
    .number()
    .int()
    .min(1)
    .max(64)
    .default(1)
    .describe('Dissection jobs that run at the same time; others wait.'),
  threads: z
    .number()
    .int()
    .min(0)
    .max(64)
    .default(0)
    .describe(
      'Threads of one job, for several nodes or a large capture, at low priority; 0: one for each core, up to 8.',
    ),
  maxTime: durationOrZero.default('0').describe('A job that runs longer fails; 0: no limit.'),
  runner: z
    .enum(['local', 'kubernetes'])
    .default('local')
    .describe(
      'Where snapshots of an object storage are dissected: in the hub, or by Jobs that it makes in its namespace.',
    ),
  reportWithin: durationOrZero
    .default('10m')
    .describe(
      'A Kubernetes Job that is silent for longer, such as one whose pod is not scheduled, fails with the reason of the cluster; 0: it may wait for ever.',
    ),
  jobTemplate: z
    .string()
    .max(4096)
    .default('/etc/tapdeck/dissect-job.yaml')
    .describe(
      'The Job that runner kubernetes makes, without arguments; its name is the begin of their names. The chart writes it.',
    ),
})
