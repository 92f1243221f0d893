import type { RemoteJob } from './bucket/remote-job.ts'
import type { DissectionJob } from './dissection-job.ts'

/** A dissection at work, in a thread of this process or elsewhere. */
export type RunningJob = DissectionJob | RemoteJob
