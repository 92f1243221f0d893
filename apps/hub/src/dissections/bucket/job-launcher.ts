/** Starts `tapdeck dissect-job` somewhere. A job is named by its snapshot and dissection. */
export interface JobLauncher {
  /** Does nothing where it was started before and has not ended. */
  start(snapshot: string, name: string): Promise<void>
  /** Why a job that was started will not do its work any more; undefined: it may. */
  failure(snapshot: string, name: string): Promise<string | undefined>
  /** Ends and forgets it. Does nothing where there is none. */
  remove(snapshot: string, name: string): Promise<void>
}
